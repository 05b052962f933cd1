//! Texts and links: what people and models see must be all there is.

use url::Url;

use super::finding::Findings;
use crate::Card;
use crate::members::{self, Object, shown};

pub(super) fn check(card: &Card, findings: &mut Findings) {
    let members = card.members();
    check_visible(members, "", &["name", "description", "version"], findings);
    check_links(members, "", &["documentationUrl", "iconUrl"], findings);
    if let Some(provider) = members::object(members, "provider") {
        check_visible(provider, "/provider", &["organization"], findings);
        check_links(provider, "/provider", &["url"], findings);
    }
    for (index, skill) in members::list(members, "skills").iter().enumerate() {
        if let Some(skill) = skill.as_object() {
            let pointer = format!("/skills/{index}");
            check_visible(skill, &pointer, &["id", "name", "description"], findings);
        }
    }
}

fn check_visible(object: &Object, pointer: &str, names: &[&str], findings: &mut Findings) {
    for name in names {
        let text = members::text(object, name).unwrap_or_default();
        if let Some(letter) = text.chars().find(|letter| is_hidden(*letter)) {
            findings.warning(
                &members::pointer(object, pointer, name),
                format!(
                    "`{name}` holds U+{:04X}, which people do not see and programs obey",
                    u32::from(letter)
                ),
                "remove control and direction characters",
            );
        }
    }
}

/// Tells whether a character acts without being seen: controls, direction overrides, and the tag
/// characters that spell out text nobody reads.
fn is_hidden(letter: char) -> bool {
    let is_control = letter.is_control() && !matches!(letter, '\n' | '\r' | '\t');
    is_control
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

fn check_links(object: &Object, pointer: &str, names: &[&str], findings: &mut Findings) {
    for name in names {
        let Some(text) = members::text(object, name).filter(|text| !text.is_empty()) else {
            continue;
        };
        let is_link =
            Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "data"));
        if !is_link {
            findings.warning(
                &members::pointer(object, pointer, name),
                format!("`{}` is not a link that browsers follow", shown(text)),
                "write the full URL with https",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::check::tests::checked;

    #[test]
    fn c087_characters_that_act_unseen_are_warnings() {
        let skill =
            json!({"id": "s", "name": "S\u{202e}", "description": "d\u{e0041}", "tags": []});
        assert_eq!(
            checked(json!({"skills": [skill], "description": "a\u{1b}[2J"})),
            [
                "Warning /description: `description` holds U+001B, which people do not see and programs obey",
                "Warning /skills/0/description: `description` holds U+E0041, which people do not see and programs obey",
                "Warning /skills/0/name: `name` holds U+202E, which people do not see and programs obey",
            ]
        );
    }

    #[test]
    fn ordinary_text_of_any_language_is_fine() {
        let text =
            "Línea 1\n\u{0645}\u{0631}\u{062d}\u{0628}\u{0627} \u{1f469}\u{200d}\u{1f393}\tdone";
        assert_eq!(checked(json!({ "description": text })), [""; 0]);
    }

    #[test]
    fn links_that_lead_nowhere_are_warnings() {
        let provider = json!({"organization": "Example", "url": "www.example.com"});
        assert_eq!(
            checked(
                json!({"provider": provider, "iconUrl": "/icon.png", "documentationUrl": "https://a.example"})
            ),
            [
                "Warning /iconUrl: `/icon.png` is not a link that browsers follow",
                "Warning /provider/url: `www.example.com` is not a link that browsers follow",
            ]
        );
    }
}
