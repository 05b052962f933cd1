//! What the typed view and the checker see in each card.

use agent_cards::{Card, check};

use crate::{CARDS, card};

fn view(card: &Card) -> String {
    let mut lines = vec![format!("{} {:?}", card.name(), card.shape())];
    for interface in card.interfaces() {
        let tenant = interface.tenant.as_deref().unwrap_or("-");
        lines.push(format!(
            "interface {} {} {} tenant {tenant}",
            interface.binding, interface.version, interface.url
        ));
    }
    for skill in card.skills() {
        lines.push(format!(
            "skill {} | {} | tags {:?} | {:?} -> {:?}",
            skill.id,
            skill.name,
            skill.tags,
            card.input_modes(skill),
            card.output_modes(skill)
        ));
    }
    lines.push(format!("{:?}", card.capabilities()));
    for finding in check(card) {
        lines.push(format!(
            "{:?} {}: {}; {}",
            finding.severity, finding.pointer, finding.message, finding.hint
        ));
    }
    lines.join("\n")
}

#[test]
fn cards_are_read_and_checked() {
    for (name, _) in CARDS {
        insta::assert_snapshot!(name, view(&card(name)));
    }
}
