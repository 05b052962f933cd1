//! The `exploration` section of a profile: what is inherited, and settings that would have no effect.

use gateway_core::Exploration;

use super::Checker;
use crate::config::{form::exploration::ExplorationForm, tree::Node};

/// The most candidates that are explored: as many as a record lists.
const MOST: u32 = 20;

impl<'f> Checker<'f> {
    /// Checks what a profile itself says; `resolved` is what it says with all it inherits.
    pub(super) fn exploration(
        &mut self,
        form: &ExplorationForm,
        resolved: &Exploration,
        profile: &str,
    ) {
        let of = |root: &'f Node| {
            let profiles = root.get("routing").get("profiles");
            profiles.get(profile).get("exploration")
        };
        let node = of(self.root);
        // A method that was refused is reported as such.
        let names_method = of(self.original).entry("method").is_some();
        if form.share.is_some_and(|share| share.0 <= 0.0) {
            let help = "write for example `0.05`, or `method: none` to explore nothing";
            self.report(
                node.get("share"),
                "what is never taken cannot show what it is worth",
                help,
            );
        }
        if form
            .among
            .is_some_and(|among| !(2..=MOST).contains(&among.0))
        {
            let help = format!("write a number from 2 to {MOST}");
            self.report(
                node.get("among"),
                "this number of agents cannot be explored",
                help,
            );
        }
        if resolved.is_off() && !names_method {
            self.report(
                node,
                "these settings have no effect, since nothing is explored",
                "add `method: epsilon` or `method: thompson`",
            );
        }
    }
}

/// Takes over what a profile says of exploration.
pub(super) fn merge(exploration: &mut Exploration, form: &ExplorationForm) {
    if let Some(method) = form.method {
        exploration.method = method;
    }
    if let Some(share) = form.share {
        exploration.share = share.0;
    }
    if let Some(max_effect) = form.max_effect {
        exploration.max_effect = max_effect;
    }
    if let Some(among) = form.among {
        exploration.among = usize::try_from(among.0).unwrap_or(usize::MAX);
    }
}
