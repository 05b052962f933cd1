//! Signs and verifies cards: `signature sign KEY.pem [KID [ALGORITHM]]` and `signature verify JWKS.json`, and writes
//! a card as the bytes to be signed: `signature canonical FORM`. The card is read from standard input.

use std::error::Error;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

use agent_cards::{
    CanonicalForm, Card, SignatureAlgorithm, SigningKey, TrustedKeys, canonicalize, sign, verify,
};
use serde_json::json;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut body = Vec::new();
    io::stdin().read_to_end(&mut body)?;
    let card = Card::parse(&body)?;
    let mut out = io::stdout();
    match arguments.as_slice() {
        ["sign", key, name @ ..] => {
            let signed = sign(&card, &signing_key(key, name)?)?;
            writeln!(out, "{:#}", signed.value())?;
        }
        ["verify", jwks] => {
            let mut keys = TrustedKeys::new();
            keys.add(&fs::read(jwks)?)?;
            let verification = verify(&card, &keys);
            let report = json!({
                "outcome": verification.outcome(),
                "signatures": verification.signatures(),
            });
            writeln!(out, "{report:#}")?;
            return Ok(ExitCode::from(u8::from(!verification.is_valid())));
        }
        ["canonical", name] => {
            let form = CanonicalForm::ALL
                .into_iter()
                .find(|form| form.as_str() == *name);
            let form = form.ok_or_else(|| format!("`{name}` is no canonical form"))?;
            out.write_all(&canonicalize(&card, form)?)?;
        }
        _ => {
            return Err(
                "sign KEY.pem [KID [ALGORITHM]] | verify JWKS.json | canonical FORM".into(),
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn signing_key(file: &str, name: &[&str]) -> Result<SigningKey, Box<dyn Error>> {
    let mut key = SigningKey::from_pem(&fs::read(file)?)?;
    if let [kid, ..] = name {
        key = key.with_key_id(*kid);
    }
    if let [_, algorithm, ..] = name {
        key = key.with_algorithm(algorithm.parse::<SignatureAlgorithm>()?)?;
    }
    Ok(key)
}
