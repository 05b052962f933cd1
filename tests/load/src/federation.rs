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

/// Returns the id that an agent is registered under.
pub(crate) fn agent_id(agent: usize) -> String {
    let Work { verb, object, .. } = Work::of(agent);
    format!("{verb}-{object}")
}

/// Returns the card of an agent that is served at `url`.
pub(crate) fn card(agent: usize, url: &str) -> Value {
    let Work {
        verb,
        object,
        office,
    } = Work::of(agent);
    json!({
        "name": format!("The desk to {verb} {object}"),
        "description": format!("Part of the {office} office. People write to it when they want to {verb} {object}."),
        "version": "1.0.0",
        "supportedInterfaces": [{ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{
            "id": format!("{verb}_{object}"),
            "name": format!("{verb} {object}"),
            "description": format!("Takes {object} of any length, {verb}s them and says what was done."),
            "tags": [verb, object, office],
            "examples": [format!("Please {verb} these {object} by Friday")],
        }],
    })
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
        let ids: BTreeSet<_> = (0..LARGEST).map(agent_id).collect();
        assert_eq!(ids.len(), LARGEST);
    }
}
