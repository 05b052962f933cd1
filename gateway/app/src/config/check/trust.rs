//! Keys: those that agents' cards are verified with, and the one that served cards are signed with.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use agent_cards::{SigningKey, TrustedKeys};
use gateway_core::CardTrust;
use gateway_upstream::guard;
use url::Url;

use super::Checker;
use crate::{
    config::{
        form::{KeysForm, TrustForm, agent::CardForm},
        tree::Node,
        values::HttpUrl,
    },
    files::{self, LARGEST_KEYS},
};

const FOLDER: &str = "the path starts at the folder of the configuration file";

impl Checker<'_> {
    /// Reads the keys that all agents' cards are verified with.
    pub(super) fn trusted_keys(&mut self, form: &TrustForm) -> Arc<TrustedKeys> {
        let node = self.root.get("trust");
        let mut keys = self.key_files(&form.keys, node.get("keys"));
        for (jku, node) in form.jku.iter().zip(node.get("jku").items()) {
            if !self.may_be_called(&jku.0, node) {
                continue;
            }
            if let Err(error) = keys.allow_jku(&jku.0) {
                self.report(node, error.to_string(), "keys could be replaced on the way");
            }
        }
        Arc::new(keys)
    }

    /// Checks what an agent's card must show. Keys of its own take the place of those of all agents.
    pub(super) fn card_trust(
        &mut self,
        form: &CardForm,
        agent: &Node,
        of_all: &Arc<TrustedKeys>,
    ) -> CardTrust {
        let node = agent.get("card");
        let keys = if form.trusted_keys.is_empty() {
            Arc::clone(of_all)
        } else {
            Arc::new(self.key_files(&form.trusted_keys, node.get("trusted_keys")))
        };
        if form.require_signature && keys.is_empty() && node.refused().is_empty() {
            self.report(
                node.get("require_signature"),
                "a signature is required and there is no key to verify it with",
                "add the key of the agent's owner to `card.trusted_keys` or to `trust.keys`",
            );
        }
        if let Some(HttpUrl(origin)) = &form.origin
            && (origin.path() != "/" || origin.query().is_some())
        {
            self.report(
                node.get("origin"),
                "an origin is a scheme, a host and a port, and nothing else is compared",
                format!("write `{}`", origin.origin().ascii_serialization()),
            );
        }
        CardTrust {
            require_signature: form.require_signature,
            keys,
            origin: form.origin.as_ref().map(|url| url.0.clone()),
            on_drift: form.on_drift,
        }
    }

    /// Reads the key that served cards are signed with.
    pub(super) fn card_key(&mut self, form: &KeysForm) -> Option<Arc<SigningKey>> {
        let keys = self.root.get("keys");
        let Some(file) = &form.card_file else {
            if form.card_key_id.is_some() {
                let help = "add `card_file`, or remove `card_key_id`";
                self.report(keys.get("card_key_id"), "there is no key to name", help);
            }
            return None;
        };
        let node = keys.get("card_file");
        if self.root.entry("public_url").is_none() {
            let help = "add `public_url`";
            let text = "cards would be signed for whatever address a caller names";
            self.report(node, text, help);
        }
        let pem = self.read_keys(file, node)?;
        match SigningKey::from_pem(&pem) {
            Ok(key) => Some(Arc::new(match &form.card_key_id {
                Some(id) => key.with_key_id(id.as_str()),
                None => key,
            })),
            Err(error) => {
                self.report(node, format!("in this file, {error}"), FOLDER);
                None
            }
        }
    }

    fn key_files(&mut self, files: &[PathBuf], list: &Node) -> TrustedKeys {
        let mut keys = TrustedKeys::new();
        for (file, node) in files.iter().zip(list.items()) {
            let Some(set) = self.read_keys(file, node) else {
                continue;
            };
            match keys.add(&set) {
                Ok(()) => self.usable_keys(&set, node),
                Err(error) => self.report(node, format!("in this file, {error}"), FOLDER),
            }
        }
        keys
    }

    /// Refuses keys that would verify nothing: whoever lists them relies on them.
    fn usable_keys(&mut self, set: &[u8], node: &Node) {
        let mut keys = TrustedKeys::new();
        if keys.add(set).is_err() {
            return;
        }
        let mut is_told = false;
        for (id, reason) in keys.unusable() {
            is_told = true;
            let text = format!("in this file, key `{}`: {reason}", shown(id));
            self.report(
                node,
                text,
                "ask its owner for a public key that verifies signatures",
            );
        }
        if !is_told && keys.key_ids().next().is_none() {
            let text = "in this file is no key that verifies signatures";
            self.report(
                node,
                text,
                "ask the agent's owner for the keys that cards are signed with",
            );
        }
    }

    /// Refuses an address that the gateway never calls.
    pub(super) fn may_be_called(&mut self, url: &Url, node: &Node) -> bool {
        let refused = guard::check(url).err();
        if let Some(refused) = &refused {
            self.report(
                node,
                refused.to_string(),
                "see what serves it, and where else",
            );
        }
        refused.is_none()
    }

    fn read_keys(&mut self, file: &Path, node: &Node) -> Option<Vec<u8>> {
        files::read(&self.resolve(file), LARGEST_KEYS)
            .map_err(|error| {
                self.report(node, format!("cannot read this file: {error}"), FOLDER);
            })
            .ok()
    }
}

fn shown(id: &str) -> String {
    const LONGEST: usize = 80;
    let letters = id.chars().take(LONGEST);
    letters.flat_map(char::escape_debug).collect()
}
