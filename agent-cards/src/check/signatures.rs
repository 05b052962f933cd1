//! Signatures: whether they could verify with the right key. That they do is for
//! [`verify`](crate::verify()) to find.

use super::finding::Findings;
use crate::Card;
use crate::members;
use crate::signature::unreadable;

pub(super) fn check(card: &Card, findings: &mut Findings) {
    let list = members::list(card.members(), "signatures");
    for (index, entry) in list.iter().enumerate() {
        if let Some(reason) = unreadable(entry) {
            findings.error(
                &format!("/signatures/{index}"),
                format!("nobody can verify the signature: {reason}"),
                "sign the card anew",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::check::tests::checked;

    #[test]
    fn signature_that_nobody_can_verify_is_an_error() {
        // {"alg":"ES256","kid":"a"} and {"alg":"none","kid":"a"}.
        let sound = json!({"protected": "eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ", "signature": "AAAA"});
        let none = json!({"protected": "eyJhbGciOiJub25lIiwia2lkIjoiYSJ9", "signature": "AAAA"});
        assert_eq!(
            checked(json!({"signatures": [sound, none, {}]})),
            [
                "Error /signatures/1: nobody can verify the signature: algorithm `none` is not accepted, sign with ES256, ES384, EdDSA, RS256 or PS256",
                "Error /signatures/2: nobody can verify the signature: `protected` is missing",
            ]
        );
    }
}
