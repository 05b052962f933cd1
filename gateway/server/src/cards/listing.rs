//! How many skills the federated card lists, and how many it has no place for.

use std::sync::{Mutex, PoisonError};

use agent_cards::publish::{FederatedCard, SkillLimits};
use serde::Serialize;

/// What the federated card of a catalog lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Listing {
    skills: usize,
    left_out: usize,
}

impl Listing {
    pub(super) fn of(card: &FederatedCard) -> Self {
        Self {
            skills: card.skills.len(),
            left_out: card.left_out,
        }
    }
}

/// The listing of the catalog whose federated card was written last, by its digest.
#[derive(Debug, Default)]
pub(super) struct LastListing(Mutex<Option<(String, Listing)>>);

impl LastListing {
    /// Returns the listing of a catalog, if its card is the one written last.
    pub(super) fn of(&self, digest: &str) -> Option<Listing> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last.as_ref().filter(|(known, _)| known == digest);
        known.map(|(_, listing)| *listing)
    }

    /// Takes a listing down. Skills that have no place are told of whenever their number changes.
    pub(super) fn note(&self, digest: &str, listing: Listing) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last.replace((digest.to_owned(), listing));
        drop(last);
        let Listing { skills, left_out } = listing;
        if left_out == before.map_or(0, |(_, before)| before.left_out) {
            return;
        }
        let SkillLimits { most, bytes } = SkillLimits::default();
        if left_out == 0 {
            tracing::info!(skills, "the federated card lists all {skills} skills again");
        } else {
            tracing::warn!(
                skills,
                left_out,
                "the federated card lists {skills} skills and leaves {left_out} out, as it holds {most} skills and {bytes} bytes of them at most; messages are routed to all, and the cards of single agents list all of theirs"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_that_of_its_catalog_only() {
        let last = LastListing::default();
        let listing = Listing {
            skills: 69,
            left_out: 432,
        };
        assert_eq!(last.of("sha256:1"), None);
        last.note("sha256:1", listing);
        assert_eq!(last.of("sha256:1"), Some(listing));
        assert_eq!(last.of("sha256:2"), None, "its card was not written yet");
    }
}
