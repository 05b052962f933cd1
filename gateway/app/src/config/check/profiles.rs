//! The `routing` section: inheritance between profiles, and the names they use.

use std::collections::BTreeMap;

use gateway_core::{AmbiguityRule, Learning, OnNoFit, Profile, VersionedProfile, Weights};

use super::{Checker, exploration};
use crate::config::{
    form::{
        RoutingForm,
        routing::{OnNoFitForm, ProfileForm, WeightsForm},
    },
    hint,
    tree::{Entry, Node},
    values::ProfileName,
};

const BUILT_IN: &str = "balanced";

impl<'f> Checker<'f> {
    /// Resolves every profile; returns the name of the default one and all by name.
    pub(super) fn profiles(
        &mut self,
        form: RoutingForm,
        learning: Learning,
    ) -> (String, BTreeMap<String, VersionedProfile>) {
        let routing = self.root.get("routing");
        let profiles = routing.get("profiles");
        let known = self.known_profiles();
        let default = form.default_profile.0;
        if !known.contains(&default.as_str()) {
            let node = routing.get("default_profile");
            self.report(
                node,
                "there is no profile of this name",
                similar("profiles", node, &known),
            );
        }
        let mut resolved = BTreeMap::from([(BUILT_IN.to_owned(), Profile::balanced().into())]);
        for (name, profile) in &form.profiles {
            let node = profiles.get(&name.0);
            self.names(profile, node, &known);
            let mut base = Profile::balanced();
            let chain = self.chain(name, &form.profiles, node);
            for ancestor in chain.into_iter().rev() {
                merge(&mut base, ancestor);
            }
            if base.weights.parts().iter().all(|&weight| weight == 0.0) {
                let help = "at least one weight must be above 0";
                self.report(
                    node.get("weights"),
                    "with these weights every agent scores the same",
                    help,
                );
            }
            if let Some(form) = &profile.exploration {
                self.exploration(form, &base.exploration, &name.0);
            }
            base.exploration.prior_strength = learning.prior_strength;
            base.name.clone_from(&name.0);
            base.by_request = profile.by_request;
            resolved.insert(name.0.clone(), base.into());
        }
        (default, resolved)
    }

    /// Returns a profile and those it extends, nearest first.
    fn chain<'p>(
        &mut self,
        name: &ProfileName,
        profiles: &'p BTreeMap<ProfileName, ProfileForm>,
        node: &Node,
    ) -> Vec<&'p ProfileForm> {
        let mut seen = vec![name.clone()];
        let mut chain = Vec::new();
        let mut next = profiles.get(name);
        while let Some(profile) = next {
            chain.push(profile);
            let Some(parent) = &profile.extends else {
                break;
            };
            // One report for each circle, at its first name.
            if parent == name && seen.iter().all(|other| name <= other) {
                let names: Vec<&str> = seen
                    .iter()
                    .chain([parent])
                    .map(|name| name.0.as_str())
                    .collect();
                let help = format!("break the circle: {}", names.join(" → "));
                self.report(node.get("extends"), "this profile extends itself", help);
            }
            if seen.contains(parent) {
                break;
            }
            seen.push(parent.clone());
            next = profiles.get(parent);
        }
        chain
    }

    /// Checks the names of other things that a profile uses.
    fn names(&mut self, profile: &ProfileForm, node: &Node, known: &[&str]) {
        if let Some(parent) = &profile.extends
            && !known.contains(&parent.0.as_str())
        {
            let node = node.get("extends");
            self.report(
                node,
                "there is no profile of this name",
                similar("profiles", node, known),
            );
        }
        if let Some(OnNoFitForm::Fallback(agent)) = &profile.on_no_fit {
            let items = self.original.get("agents").items().iter();
            let ids: Vec<&Node> = items
                .filter_map(|agent| Some(&agent.entry("id")?.value))
                .collect();
            if !ids.iter().any(|id| id.text() == agent.0.as_str()) {
                let node = node.get("on_no_fit").get("fallback");
                let shown: Vec<&str> = ids
                    .iter()
                    .filter(|id| !id.is_interpolated())
                    .map(|id| id.text())
                    .collect();
                self.report(
                    node,
                    "no agent has this id",
                    similar("agents", node, &shown),
                );
            }
        }
    }

    pub(super) fn known_profiles(&self) -> Vec<&'f str> {
        let routing = self.original.entry("routing");
        let written = routing.and_then(|routing| routing.value.entry("profiles"));
        let written = written.map(|profiles| profiles.value.entries());
        let written = written.unwrap_or_default().iter();
        let mut known: Vec<&'f str> = written.map(Entry::name).collect();
        if !known.contains(&BUILT_IN) {
            known.push(BUILT_IN);
        }
        known
    }
}

pub(super) fn similar(what: &str, node: &Node, known: &[&str]) -> String {
    let given = if node.is_interpolated() {
        ""
    } else {
        node.text()
    };
    hint::known(what, given, known)
}

fn merge(profile: &mut Profile, form: &ProfileForm) {
    merge_weights(&mut profile.weights, &form.weights);
    if let Some(latency) = form.references.latency {
        profile.reference_latency = latency.0;
    }
    if let Some(cost) = form.references.cost {
        profile.reference_cost = cost.0;
    }
    if let Some(min_fit) = form.min_fit {
        profile.min_fit = min_fit.0;
    }
    if let Some(max_risk) = form.max_risk {
        profile.max_risk = max_risk.0;
    }
    merge_ambiguity(&mut profile.ambiguity, form);
    if let Some(form) = &form.exploration {
        exploration::merge(&mut profile.exploration, form);
    }
    if let Some(max_effect) = form.max_effect {
        profile.max_effect = max_effect;
    }
    match &form.on_no_fit {
        None => {}
        Some(OnNoFitForm::Reject) => profile.on_no_fit = OnNoFit::Reject,
        Some(OnNoFitForm::Fallback(agent)) => {
            profile.on_no_fit = OnNoFit::Fallback(agent.0.clone());
        }
    }
}

fn merge_ambiguity(rule: &mut AmbiguityRule, form: &ProfileForm) {
    if let Some(on_ambiguous) = form.on_ambiguous {
        rule.on_ambiguous = on_ambiguous;
    }
    if let Some(likeness) = form.ambiguity_likeness {
        rule.likeness = likeness.0;
    }
    if let Some(margin) = form.ambiguity_margin {
        rule.margin = margin.0;
    }
}

fn merge_weights(weights: &mut Weights, form: &WeightsForm) {
    for (weight, given) in [
        (&mut weights.fit, form.fit),
        (&mut weights.quality, form.quality),
        (&mut weights.availability, form.availability),
        (&mut weights.latency, form.latency),
        (&mut weights.cost, form.cost),
        (&mut weights.risk, form.risk),
    ] {
        if let Some(given) = given {
            *weight = given.0;
        }
    }
}
