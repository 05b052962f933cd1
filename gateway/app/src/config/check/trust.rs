//! Keys: those that agents' cards are verified with, and the one that served cards are signed with.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use agent_cards::{SigningKey, TrustedKeys};
use gateway_core::CardTrust;

use super::Checker;
use crate::{
    config::{
        form::{KeysForm, TrustForm, agent::CardForm},
        tree::Node,
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
            if let Err(error) = keys.add(&set) {
                self.report(node, format!("in this file, {error}"), FOLDER);
            }
        }
        keys
    }

    fn read_keys(&mut self, file: &Path, node: &Node) -> Option<Vec<u8>> {
        files::read(&self.resolve(file), LARGEST_KEYS)
            .map_err(|error| {
                self.report(node, format!("cannot read this file: {error}"), FOLDER);
            })
            .ok()
    }
}
