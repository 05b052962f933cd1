//! `card sign`: the card with a signature that readers of its versions accept.

use std::path::{Path, PathBuf, absolute};

use agent_cards::{SigningKey, TrustedKeys, sign, signatures_kept};
use clap::{Args, builder::NonEmptyStringValueParser};
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

/// Signs a card. Signatures that it has by the same key are replaced, those by other keys stay unchecked.
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
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    key_id: Option<String>,
    /// Tell verifiers that the public key is in the key set at this address (`jku`), an https one.
    #[arg(long, value_name = "URL", value_parser = jku)]
    jku: Option<Url>,
    /// Write the signed card into this file.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the key set that verifiers need into this file: the public half of the key.
    #[arg(long, value_name = "FILE")]
    public_keys: Option<PathBuf>,
}

/// Returns where a path leads, whether or not there is a file.
fn place(path: &Path) -> PathBuf {
    if let Ok(place) = path.canonicalize() {
        return place;
    }
    let (Ok(path), Some(name)) = (absolute(path), path.file_name()) else {
        return path.to_owned();
    };
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.map_or(path, |folder| folder.join(name))
}

fn file(text: &str) -> Result<Source, String> {
    match text.parse()? {
        Source::Agent(_) => {
            Err("only files are signed, fetch the card and look at it first".to_owned())
        }
        file => Ok(file),
    }
}

/// Reads the address of a key set; verifiers take none that could be replaced on the way.
fn jku(text: &str) -> Result<Url, String> {
    let url = source::address(text)?;
    TrustedKeys::new()
        .allow_jku(&url)
        .map_err(|error| error.to_string())?;
    Ok(url)
}

impl Sign {
    pub(super) async fn run(self, json: bool) -> Result<(), CommandError> {
        self.refuse_to_overwrite()?;
        let key = self.key()?;
        let loaded = Asking::default().begin().load(&self.card, json).await?;
        let signed = sign(&loaded.card, &key).map_err(CommandError::failed)?;
        let kept = signatures_kept(&loaded.card, &key).len();
        let card = show::json(signed.value());
        let key_set = json!({ "keys": [key.public_jwk()] });
        if let Some(path) = &self.public_keys {
            write(path, format!("{}\n", show::json(&key_set)).as_bytes())?;
        }
        if let Some(path) = &self.output {
            write(path, format!("{card}\n").as_bytes())?;
        }
        if kept > 0 && !json {
            let ending = if kept == 1 { "" } else { "s" };
            show::complain(&format!(
                "kept {kept} signature{ending} of other keys unchecked; what was signed before a change no longer holds"
            ));
        }
        if json {
            show::line(&show::json(&json!({
                "source": loaded.source,
                "key": key.key_id(),
                "algorithm": key.algorithm(),
                "public_keys": key_set,
                "kept_signatures": kept,
                "fingerprint": signed.fingerprint(),
                "card": signed.value(),
            })));
        } else if self.output.is_none() {
            show::document(format!("{card}\n").as_bytes()).map_err(CommandError::failed)?;
        }
        Ok(())
    }

    /// Refuses to write one file over another that is needed.
    fn refuse_to_overwrite(&self) -> Result<(), CommandError> {
        let input = match &self.card {
            Source::File(path) => Some(path),
            Source::Agent(_) | Source::Input => None,
        };
        let (output, public_keys) = (self.output.as_ref(), self.public_keys.as_ref());
        let pairs = [
            ("--output", output, "the key", Some(&self.key)),
            ("--public-keys", public_keys, "the key", Some(&self.key)),
            ("--public-keys", public_keys, "the card", input),
            ("--public-keys", public_keys, "--output", output),
        ];
        for (option, written, name, other) in pairs {
            if let (Some(written), Some(other)) = (written, other)
                && place(written) == place(other)
            {
                return Err(CommandError::Usage(format!(
                    "{option} is the file of {name} ({}), name another file",
                    written.display()
                )));
            }
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
