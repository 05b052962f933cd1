//! Cards for reading.

pub(crate) mod changes;
pub(crate) mod findings;
mod security;
pub(crate) mod signatures;

use agent_cards::{Capabilities, Card, Interface, Shape, SignatureReport, Skill};
use gateway_core::ports::CardTry;
use serde_json::{Value, json};

use super::one_line;

/// How many skills are shown; a program gets all.
const MOST_SKILLS: usize = 50;

/// A card and what was found out about it.
#[derive(Debug)]
pub(crate) struct Shown<'a> {
    pub(crate) card: &'a Card,
    /// The address or file.
    pub(crate) from: &'a str,
    /// What became of its signatures without any key.
    pub(crate) signatures: &'a [SignatureReport],
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
}

impl Shown<'_> {
    /// Renders the card as text.
    pub(crate) fn text(&self) -> String {
        let card = self.card;
        let mut lines = vec![line("name", &format!("{} {}", card.name(), card.version()))];
        lines.extend(provider(card).map(|provider| line("provider", &provider)));
        lines.push(line("about", card.description()));
        lines.push(line("form", &format!("A2A {}", shape(card.shape()))));
        lines.extend(
            card.interfaces()
                .iter()
                .map(|one| line("speaks", &interface(one))),
        );
        lines.push(line("offers", &offers(card.capabilities())));
        for extension in &card.capabilities().extensions {
            let duty = if extension.required {
                " (required)"
            } else {
                ""
            };
            lines.push(line("extends", &format!("{}{duty}", extension.uri)));
        }
        lines.push(line("security", &security::text(card.security())));
        for skill in card.skills().iter().take(MOST_SKILLS) {
            lines.extend(self.skill(skill));
        }
        let more = card.skills().len().saturating_sub(MOST_SKILLS);
        if more > 0 {
            lines.push(line("skill", &format!("and {more} more, see --json")));
        }
        lines.push(line("signed", &signatures::claimed(self.signatures)));
        lines.push(line("found", &findings::count(self.errors, self.warnings)));
        let size = card.raw().len();
        lines.push(line(
            "card",
            &format!("{} · {size} bytes · {}", card.fingerprint(), self.from),
        ));
        lines.join("\n")
    }

    fn skill(&self, skill: &Skill) -> Vec<String> {
        let modes = |modes: &[String]| modes.join(", ");
        let (takes, gives) = (self.card.input_modes(skill), self.card.output_modes(skill));
        let head = format!(
            "{} · {} · {} → {}",
            skill.id,
            skill.name,
            modes(takes),
            modes(gives)
        );
        let mut lines = vec![line("skill", &head)];
        if !skill.description.is_empty() {
            lines.push(line("", &skill.description));
        }
        lines
    }

    /// Renders the card for a program.
    pub(crate) fn members(&self) -> Value {
        let card = self.card;
        let capabilities = card.capabilities();
        json!({
            "source": self.from,
            "fingerprint": card.fingerprint(),
            "bytes": card.raw().len(),
            "name": card.name(),
            "version": card.version(),
            "description": card.description(),
            "provider": card.value().get("provider"),
            "form": shape(card.shape()),
            "interfaces": card.interfaces().iter().map(|one| json!({
                "url": one.url,
                "binding": one.binding.as_str(),
                "version": one.version.to_string(),
                "tenant": one.tenant,
            })).collect::<Vec<_>>(),
            "capabilities": {
                "streaming": capabilities.streaming,
                "push_notifications": capabilities.push_notifications,
                "extended_card": capabilities.extended_card,
                "extensions": capabilities.extensions.iter().map(|one| json!({
                    "uri": one.uri,
                    "required": one.required,
                })).collect::<Vec<_>>(),
            },
            "security": security::members(card.security()),
            "skills": card.skills().iter().map(|skill| json!({
                "id": skill.id,
                "name": skill.name,
                "description": skill.description,
                "tags": skill.tags,
                "input_modes": card.input_modes(skill),
                "output_modes": card.output_modes(skill),
            })).collect::<Vec<_>>(),
            "signatures": self.signatures.iter().map(|one| json!({
                "pointer": one.pointer,
                "key": one.key,
                "jku": one.jku,
            })).collect::<Vec<_>>(),
            "errors": self.errors,
            "warnings": self.warnings,
        })
    }
}

/// Lists the places where a card was looked for.
pub(crate) fn tried(places: &[CardTry]) -> String {
    let one = |place: &CardTry| format!("tried    {} · {}", place.url, place.outcome);
    places.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn line(title: &str, text: &str) -> String {
    format!("{title:<8} {}", one_line(text))
        .trim_end()
        .to_owned()
}

fn provider(card: &Card) -> Option<String> {
    let provider = card.value().get("provider")?;
    let named = |name| provider.get(name).and_then(Value::as_str);
    let known: Vec<&str> = [named("organization"), named("url")]
        .into_iter()
        .flatten()
        .collect();
    (!known.is_empty()).then(|| known.join(" · "))
}

fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::V03 => "0.3",
        Shape::V1 => "1.0",
        Shape::Hybrid => "hybrid",
    }
}

fn interface(interface: &Interface) -> String {
    let Interface {
        url,
        binding,
        version,
        tenant,
    } = interface;
    let tenant = tenant.as_ref().map(|tenant| format!(", tenant {tenant}"));
    format!(
        "A2A {version} over {binding} at {url}{}",
        tenant.unwrap_or_default()
    )
}

fn offers(capabilities: &Capabilities) -> String {
    let all = [
        (capabilities.streaming, "streaming"),
        (capabilities.push_notifications, "push notifications"),
        (capabilities.extended_card, "an extended card"),
    ];
    let offered: Vec<&str> = all
        .into_iter()
        .filter_map(|(is, name)| is.then_some(name))
        .collect();
    if offered.is_empty() {
        return "single answers only".to_owned();
    }
    offered.join(", ")
}
