//! The `routing.rules` section: conditions, the names they use, and rules that nothing ever gets to.

use std::collections::HashMap;

use gateway_core::route::rules::{Condition, ConditionError, Hint, Narrowing, Rule, Rules, Then};

use super::Checker;
use crate::config::{
    form::rules::{RuleForm, UseForm},
    hint,
    report::{Place, Report},
    tree::Node,
};

impl Checker<'_> {
    /// Compiles the rules; `profiles` are the names that exist.
    pub(super) fn rules(&mut self, forms: Vec<RuleForm>, profiles: &[&str]) -> Rules {
        let nodes = self.root.get("routing").get("rules").items();
        let mut names = HashMap::new();
        let mut conditions = HashMap::new();
        let mut catches_all: Option<String> = None;
        let mut rules = Vec::with_capacity(forms.len());
        for (position, (form, node)) in forms.into_iter().zip(nodes).enumerate() {
            let default_name = || format!("rule {}", position + 1);
            let name = form
                .name
                .as_ref()
                .map_or_else(default_name, |name| name.0.clone());
            if names.insert(name.clone(), position).is_some() {
                let help = "give each rule a name of its own";
                self.report(node.get("name"), "another rule has this name already", help);
            }
            let earlier = catches_all
                .clone()
                .or_else(|| conditions.get(&form.when.0).cloned());
            if let Some(earlier) = earlier {
                let message = format!(
                    "no message gets here: `{}` above matches first",
                    hint::shown(&earlier)
                );
                self.report(
                    node.get("when"),
                    message,
                    "put this rule before it, or remove it",
                );
            }
            conditions
                .entry(form.when.0.clone())
                .or_insert_with(|| name.clone());
            let then = self.then(&form, node, profiles);
            let Some(when) = self.condition(&form.when.0, node.get("when")) else {
                continue;
            };
            if when.always() == Some(true) {
                catches_all.get_or_insert_with(|| name.clone());
            }
            rules.push(Rule { name, when, then });
        }
        Rules::new(rules)
    }

    fn condition(&mut self, text: &str, node: &Node) -> Option<Condition> {
        let error = match Condition::compile(text) {
            Ok(condition) => return Some(condition),
            Err(error) => error,
        };
        if node.is_interpolated() {
            let message = "the value of the environment variable makes this no usable condition";
            self.report(
                node,
                message,
                "write the condition without the variable to see why",
            );
            return None;
        }
        let place = place(&error, text, node);
        let help = match error.hint {
            Hint::Text(text) => text,
            Hint::Known(what, given, known) => hint::known(what, &given, &known),
        };
        self.reports.push(Report::at(place, error.message, help));
        None
    }

    /// Returns what follows from a rule. What cannot be meant is reported.
    fn then(&mut self, form: &RuleForm, node: &Node, profiles: &[&str]) -> Then {
        match (&form.r#use, &form.reject) {
            (Some(using), None) => self.using(using, node.get("use"), profiles),
            (None, Some(text)) => Then::Reject(text.0.clone()),
            (None, None) => {
                // A part that was refused has its own report.
                if node.refused().is_empty() {
                    let help = "add `use: { agents: […] }` or `reject: \"…\"`";
                    self.report(node, "nothing follows from this rule", help);
                }
                Then::Use(Narrowing::default())
            }
            (Some(_), Some(_)) => {
                let help = "remove one of them";
                self.report(
                    node.get("reject"),
                    "a rule cannot both use and reject",
                    help,
                );
                Then::Use(Narrowing::default())
            }
        }
    }

    fn using(&mut self, form: &UseForm, node: &Node, profiles: &[&str]) -> Then {
        if let Some(agent) = &form.agent {
            self.agent_exists(agent.0.as_str(), node.get("agent"));
            if form.agents.is_some() || form.profile.is_some() || form.max_effect.is_some() {
                let help = "write `agents: [ID]` to choose a profile or a ceiling for one agent";
                self.report(node, "`agent` stands alone", help);
            }
            return Then::Pin(agent.0.clone());
        }
        let narrows = form.agents.is_some() || form.profile.is_some() || form.max_effect.is_some();
        if !narrows && node.refused().is_empty() {
            let help = "add `agent`, `agents`, `profile` or `max_effect`";
            self.report(node, "this changes nothing", help);
        }
        if let Some(profile) = &form.profile
            && !profiles.contains(&profile.0.as_str())
        {
            let node = node.get("profile");
            let help = known("profiles", node, profiles);
            self.report(node, "there is no profile of this name", help);
        }
        let agents = form.agents.iter().flatten();
        let agents: Vec<_> = agents.map(|agent| agent.0.clone()).collect();
        let listed = node.get("agents");
        if form.agents.is_some() && agents.is_empty() && listed.items().is_empty() {
            let help = "name those that may get the message, or use `reject`";
            self.report(
                listed,
                "without any agent nobody could get the message",
                help,
            );
        }
        for (agent, node) in agents.iter().zip(listed.items()) {
            self.agent_exists(agent.as_str(), node);
        }
        Then::Use(Narrowing {
            agents,
            profile: form.profile.as_ref().map(|profile| profile.0.clone()),
            max_effect: form.max_effect,
        })
    }

    fn agent_exists(&mut self, id: &str, node: &Node) {
        let items = self.original.get("agents").items().iter();
        let ids: Vec<&Node> = items
            .filter_map(|agent| Some(&agent.entry("id")?.value))
            .collect();
        if ids.iter().any(|known| known.text() == id) {
            return;
        }
        let shown = ids.iter().filter(|id| !id.is_interpolated());
        let shown: Vec<&str> = shown.map(|id| id.text()).collect();
        self.report(node, "no agent has this id", known("agents", node, &shown));
    }
}

fn known(what: &str, node: &Node, known: &[&str]) -> String {
    let given = if node.is_interpolated() {
        ""
    } else {
        node.text()
    };
    hint::known(what, given, known)
}

/// Finds the place in the file of an error within a condition, if the condition is written there as it is: on one
/// line, and without escapes in its quotes. Else the whole of it is pointed at.
fn place(error: &ConditionError, text: &str, node: &Node) -> Place {
    let quotes = node.place.width.checked_sub(text.chars().count());
    match (error.at, quotes) {
        (Some((start, end)), Some(0 | 2)) if !text.contains('\n') => Place {
            column: node.place.column + start + quotes.unwrap_or_default() / 2,
            width: end.saturating_sub(start).max(1),
            ..node.place
        },
        _ => node.place,
    }
}
