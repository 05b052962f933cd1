//! `card sign`: the card with a signature that readers of its versions accept.

use std::path::PathBuf;

use agent_cards::{SigningKey, sign};
use clap::Args;
use serde_json::json;
use url::Url;

use super::{
    source::{self, Asking, Source},
    write,
};
use crate::{
    command::CommandError,
    files::{self, LARGEST_KEYS},
    show,
};

/// Signs a card. Signatures that it has stay.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 the card is signed, 1 it is not, 2 wrong usage")]
pub(super) struct Sign {
    /// The file of the card; `-` is standard input.
    #[arg(value_name = "FILE", value_parser = file)]
    card: Source,
    /// The private key: P-256, P-384, Ed25519 or RSA, as unencrypted PKCS #8 in PEM.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Name the key so (`kid`). Default: its thumbprint (RFC 7638).
    #[arg(long, value_name = "ID")]
    key_id: Option<String>,
    /// Tell verifiers that the public key is in the key set at this address (`jku`).
    #[arg(long, value_name = "URL", value_parser = source::address)]
    jku: Option<Url>,
    /// Write the signed card into this file.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the key set that verifiers need into this file: the public half of the key.
    #[arg(long, value_name = "FILE")]
    public_keys: Option<PathBuf>,
}

fn file(text: &str) -> Result<Source, String> {
    match text.parse()? {
        Source::Agent(_) => {
            Err("only files are signed, fetch the card and look at it first".to_owned())
        }
        file => Ok(file),
    }
}

impl Sign {
    pub(super) async fn run(self, json: bool) -> Result<(), CommandError> {
        let key = self.key()?;
        let loaded = Asking::default().begin().load(&self.card, json).await?;
        let signed = sign(&loaded.card, &key).map_err(CommandError::failed)?;
        let card = show::json(signed.value());
        let key_set = json!({ "keys": [key.public_jwk()] });
        if let Some(path) = &self.public_keys {
            write(path, format!("{}\n", show::json(&key_set)).as_bytes())?;
        }
        if let Some(path) = &self.output {
            write(path, format!("{card}\n").as_bytes())?;
        }
        if json {
            show::line(&show::json(&json!({
                "source": loaded.source,
                "key": key.key_id(),
                "algorithm": key.algorithm(),
                "public_keys": key_set,
                "fingerprint": signed.fingerprint(),
                "card": signed.value(),
            })));
        } else if self.output.is_none() {
            show::document(format!("{card}\n").as_bytes()).map_err(CommandError::failed)?;
        }
        Ok(())
    }

    fn key(&self) -> Result<SigningKey, CommandError> {
        let path = self.key.display();
        let about = |problem: String| CommandError::failed(format!("the key in {path}: {problem}"));
        let pem = files::read(&self.key, LARGEST_KEYS)
            .map_err(|error| about(format!("cannot be read: {error}")))?;
        let mut key = SigningKey::from_pem(&pem).map_err(|error| about(error.to_string()))?;
        if let Some(id) = &self.key_id {
            key = key.with_key_id(id);
        }
        if let Some(jku) = &self.jku {
            key = key.with_jku(jku.clone());
        }
        Ok(key)
    }
}
