//! The federation under load: agents that differ in what their one skill does, and requests that mean one of them.

use serde_json::{Value, json};

#[rustfmt::skip]
const VERBS: [&str; 25] = [
    "translate", "summarise", "archive", "approve", "audit", "print", "classify", "schedule", "cancel", "renew",
    "publish", "compare", "estimate", "forecast", "review", "sign", "export", "encrypt", "anonymise",
    "transcribe", "validate", "collect", "deliver", "negotiate", "illustrate",
];
#[rustfmt::skip]
const OBJECTS: [&str; 40] = [
    "contracts", "invoices", "scholarships", "timetables", "recipes", "maps", "patents", "surveys", "payslips",
    "passports", "itineraries", "blueprints", "prescriptions", "leases", "newsletters", "interviews", "tenders",
    "warranties", "manuscripts", "certificates", "complaints", "receipts", "lectures", "budgets", "exams",
    "shipments", "policies", "photographs", "permits", "donations", "catalogues", "minutes", "licences",
    "reports", "inventories", "grants", "syllabuses", "tickets", "wills", "datasets",
];
const OFFICES: [&str; 8] = [
    "finance",
    "admissions",
    "library",
    "housing",
    "research",
    "sports",
    "legal",
    "medical",
];

/// The number of agents that differ.
pub(crate) const LARGEST: usize = VERBS.len() * OBJECTS.len();

struct Work {
    verb: &'static str,
    object: &'static str,
    office: &'static str,
}

impl Work {
    /// Each agent has its own pair of verb and object; those next to each other share neither.
    fn of(agent: usize) -> Self {
        let (verb, turn) = (agent % VERBS.len(), agent / VERBS.len());
        Self {
            verb: VERBS[verb],
            object: OBJECTS[(7 * verb + turn) % OBJECTS.len()],
            office: OFFICES[agent % OFFICES.len()],
        }
    }
}

/// Returns the id that an agent is registered under. Those beyond [`LARGEST`] do what others do, elsewhere.
pub(crate) fn agent_id(agent: usize) -> String {
    let Work { verb, object, .. } = Work::of(agent);
    match agent / LARGEST {
        0 => format!("{verb}-{object}"),
        branch => format!("{verb}-{object}-{branch}"),
    }
}

/// Returns the card of an agent that is served at `url`, with so many skills: its own and those it took over from
/// agents with words of their own.
pub(crate) fn card(agent: usize, url: &str, skills: usize, edition: u64) -> Value {
    let Work {
        verb,
        object,
        office,
    } = Work::of(agent);
    let skills: Vec<_> = (0..skills)
        .map(|number| match number {
            0 => own_skill(agent),
            _ => further_skill(agent, number),
        })
        .collect();
    json!({
        "name": format!("The desk to {verb} {object}"),
        "description": format!("Part of the {office} office. People write to it when they want to {verb} {object}."),
        "version": format!("1.0.{edition}"),
        "supportedInterfaces": [{ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": skills,
    })
}

fn own_skill(agent: usize) -> Value {
    let Work {
        verb,
        object,
        office,
    } = Work::of(agent);
    json!({
        "id": format!("{verb}_{object}"),
        "name": format!("{verb} {object}"),
        "description": format!("Takes {object} of any length, {verb}s them and says what was done."),
        "tags": [verb, object, office],
        "examples": [format!("Please {verb} these {object} by Friday")],
    })
}

fn further_skill(agent: usize, number: usize) -> Value {
    let (verb, office) = (Work::of(agent + number).verb, Work::of(agent).office);
    let (thing, matter) = (word(agent * 31 + number), word(agent * 7 + number * 1013));
    json!({
        "id": format!("{verb}_{thing}"),
        "name": format!("{verb} {thing} files"),
        "description": format!("Looks after {thing} files that concern {matter}, {verb}s them and tells the {office} office what came of it, within two working days."),
        "tags": [verb, thing.as_str(), office],
        "examples": [format!("Please {verb} the {thing} file about {matter}"), format!("What became of my {matter}?")],
    })
}

/// Returns one of 8,000 words that no dictionary has, as names of products and projects are.
fn word(number: usize) -> String {
    const SYLLABLES: [&str; 20] = [
        "ba", "cor", "del", "fi", "gra", "hum", "jo", "kel", "lan", "mir", "nos", "pra", "qui",
        "ro", "sti", "tur", "ul", "vey", "wen", "zo",
    ];
    let syllable = |place| SYLLABLES[number / place % SYLLABLES.len()];
    [syllable(1), syllable(20), syllable(400)].concat()
}

/// Returns the parameters of a message that means an agent and asks for so many events.
pub(crate) fn params(agent: usize, message_id: &str, events: usize) -> Value {
    let Work {
        verb,
        object,
        office,
    } = Work::of(agent);
    json!({
        "message": {
            "messageId": message_id,
            "role": "ROLE_USER",
            "parts": [{ "text": format!("Could the {office} people {verb} the {object} of last month for us?") }],
            "metadata": { "events": events },
        },
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_agent_has_work_of_its_own() {
        let ids: BTreeSet<_> = (0..3 * LARGEST).map(agent_id).collect();
        assert_eq!(ids.len(), 3 * LARGEST);
    }

    #[test]
    fn an_agent_has_the_skills_it_is_asked_for_and_its_own_first() {
        let card = card(7, "http://x.test/", 10, 1);
        let ids: BTreeSet<_> = card["skills"]
            .as_array()
            .unwrap()
            .iter()
            .map(|skill| skill["id"].to_string())
            .collect();
        assert_eq!(ids.len(), 10);
        assert_eq!(card["skills"][0], own_skill(7));
    }
}
