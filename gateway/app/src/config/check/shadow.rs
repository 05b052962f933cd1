//! The profiles that decide beside the default one.

use super::{Checker, profiles::similar};
use crate::config::form::RoutingForm;

/// The most of them: each costs every message a second look at all agents.
const MOST: usize = 8;

impl Checker<'_> {
    /// Checks the names of shadow profiles and returns them.
    pub(super) fn shadow(&mut self, form: &RoutingForm) -> Vec<String> {
        let list = self.root.get("routing").get("shadow");
        let known = self.known_profiles();
        if form.shadow.len() > MOST {
            let help = format!("keep at most {MOST}");
            self.report(list, "these are too many shadow profiles", help);
        }
        for (place, (name, node)) in form.shadow.iter().zip(list.items()).enumerate() {
            let earlier = form.shadow.iter().take(place);
            if !known.contains(&name.0.as_str()) {
                let help = similar("profiles", node, &known);
                self.report(node, "there is no profile of this name", help);
            } else if *name == form.default_profile {
                let help = "remove it; it decides already";
                self.report(node, "this is the default profile", help);
            } else if earlier.into_iter().any(|other| other == name) {
                self.report(node, "this profile is in the list already", "remove it");
            }
        }
        form.shadow.iter().map(|name| name.0.clone()).collect()
    }
}
