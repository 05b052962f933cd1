//! The `agents` section.

use std::{collections::HashMap, sync::Arc};

use agent_cards::TrustedKeys;
use gateway_core::{AgentAuth, AgentSpec, CardPolicy, CardTrust, Cost, Limits, SkillSpec};

use super::Checker;
use crate::config::{
    form::{
        AgentForm,
        agent::{AgentLimitsForm, CardForm, SkillForm},
    },
    hint,
    values::HttpUrl,
};

impl Checker<'_> {
    /// Checks that ids are unique and that each agent's credential can be read.
    pub(super) fn agents(
        &mut self,
        forms: Vec<AgentForm>,
        trusted_keys: &Arc<TrustedKeys>,
    ) -> Vec<AgentSpec> {
        let list = self.root.get("agents");
        if self.original.get("agents").items().is_empty() {
            self.report(list, "the file has no agents", hint::example("agents"));
        }
        self.unique_ids();
        let mut specs = Vec::new();
        for (form, node) in forms.into_iter().zip(list.items()) {
            self.may_be_called(&form.url.0, node.get("url"));
            if let Some(HttpUrl(url)) = &form.card.url {
                self.may_be_called(url, node.get("card").get("url"));
            }
            let auth = self.auth(form.auth.as_ref(), node);
            let card_auth = self.auth(form.card.auth.as_ref(), node.get("card"));
            let trust = self.card_trust(&form.card, node, trusted_keys);
            specs.push(spec(form, auth, card_auth, trust));
        }
        specs
    }

    fn unique_ids(&mut self) {
        let mut first_lines: HashMap<&str, usize> = HashMap::new();
        for agent in self.original.get("agents").items() {
            let Some(entry) = agent.entry("id") else {
                continue;
            };
            let id = &entry.value;
            if let Some(line) = first_lines.get(id.text()) {
                let help = format!("ids must be unique; the first is on line {line}");
                self.report(id, "another agent has this id", help);
            } else {
                first_lines.insert(id.text(), id.place.line);
            }
        }
    }
}

/// Returns an agent as it is when a file names its address and nothing else.
pub(in crate::config) fn unconfigured(url: HttpUrl) -> AgentSpec {
    let (auth, card_auth) = (AgentAuth::None, AgentAuth::None);
    spec(AgentForm::at(url), auth, card_auth, CardTrust::default())
}

fn spec(form: AgentForm, auth: AgentAuth, card_auth: AgentAuth, trust: CardTrust) -> AgentSpec {
    AgentSpec {
        id: form.id.0,
        url: form.url.0,
        card: card_policy(form.card, card_auth, trust),
        auth,
        limits: limits(&form.limits),
        quality: form.quality.0,
        latency: form.latency.map(|period| period.0),
        cost: Cost {
            per_request: form.cost.per_request.0,
            usage_pointer: form.cost.usage_pointer.map(|pointer| pointer.0),
            per_unit: form.cost.per_unit.0,
            currency: form.cost.currency.0,
        },
        effect: form.effect,
        preference: form.preference,
        skills: form
            .skills
            .into_iter()
            .map(|(id, skill)| (id, skill_spec(&skill)))
            .collect(),
        own: [].into(),
    }
}

fn card_policy(form: CardForm, auth: AgentAuth, trust: CardTrust) -> CardPolicy {
    CardPolicy {
        url: form.url.map(|url| url.0),
        auth,
        ttl: form.ttl.0,
        max_stale: form.max_stale.0,
        timeout: form.timeout.0,
        max_bytes: form.max_size.0,
        trust,
        serve: form.serve,
    }
}

fn limits(form: &AgentLimitsForm) -> Limits {
    Limits {
        connect: form.connect.0,
        timeout: form.timeout.0,
        stream_idle: form.stream_idle.0,
        max_in_flight: form.max_in_flight.0 as usize,
        max_response_bytes: form.max_response.0,
        max_event_bytes: form.max_event.0,
    }
}

fn skill_spec(form: &SkillForm) -> SkillSpec {
    SkillSpec {
        effect: form.effect,
        cost_per_request: form.cost_per_request.map(|amount| amount.0),
        quality: form.quality.map(|share| share.0),
    }
}
