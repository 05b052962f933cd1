//! The credential of an agent, with the files that hold secrets.

use std::{io, path::Path};

use gateway_core::AgentAuth;
use secrecy::SecretString;

use super::Checker;
use crate::{
    config::{form::agent::AuthForm, tree::Node, values::Secret},
    files,
};

const SHAPES: &str = "write `bearer`, `bearer_file`, or `header` with `value` or `value_file`";

impl Checker<'_> {
    /// Checks the `auth` of an agent or its card and reads its secret.
    pub(super) fn auth(&mut self, form: Option<&AuthForm>, owner: &Node) -> AgentAuth {
        let Some(form) = form else {
            return AgentAuth::None;
        };
        let node = owner.get("auth");
        let bearer = form.bearer.is_some() || form.bearer_file.is_some();
        let value = form.value.is_some() || form.value_file.is_some();
        if bearer && (form.header.is_some() || value) {
            self.report(node, "`auth` has a bearer token and a header", SHAPES);
        } else if bearer {
            let secret = self.secret(
                form.bearer.as_ref(),
                form.bearer_file.as_deref(),
                node,
                "bearer_file",
            );
            return secret.map_or(AgentAuth::None, AgentAuth::Bearer);
        } else if let Some(header) = &form.header
            && value
        {
            let secret = self.secret(
                form.value.as_ref(),
                form.value_file.as_deref(),
                node,
                "value_file",
            );
            let name = header.0.clone();
            return secret.map_or(AgentAuth::None, |value| AgentAuth::Header { name, value });
        } else if node.refused().is_empty() {
            self.report(node, "`auth` is not complete", SHAPES);
        }
        AgentAuth::None
    }

    fn secret(
        &mut self,
        inline: Option<&Secret>,
        file: Option<&Path>,
        auth: &Node,
        file_key: &str,
    ) -> Option<SecretString> {
        let Some(file) = file else {
            return inline.map(|secret| secret.0.clone());
        };
        let node = auth.get(file_key);
        if inline.is_some() {
            self.report(
                node,
                "the secret is given twice, here and in the file itself",
                "keep one of them",
            );
            return None;
        }
        let text = match read(&self.resolve(file)) {
            Ok(text) => text,
            Err(error) => {
                let help = "the path starts at the folder of the configuration file";
                self.report(node, format!("cannot read this file: {error}"), help);
                return None;
            }
        };
        match Secret::try_from(text) {
            Ok(secret) => Some(secret.0),
            Err(problem) => {
                let (message, help) = problem.split_once('\n').unwrap_or((problem, ""));
                self.report(node, format!("in this file, {message}"), help);
                None
            }
        }
    }
}

fn read(path: &Path) -> io::Result<String> {
    let bytes = files::read(path, files::LARGEST_SECRET)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}
