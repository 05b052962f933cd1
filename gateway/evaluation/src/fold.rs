//! Parts of the decisions by their id: the same in every run, whatever the order they are read in.

/// How many parts there are: what is estimated on one is learned on the others.
pub(crate) const FOLDS: usize = 5;

/// Returns a number that is spread evenly over ids (FNV-1a, mixed).
pub(crate) fn spread(id: &str) -> u64 {
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 33)
}

/// Returns the part that an id belongs to.
pub(crate) fn fold_of(id: &str) -> usize {
    usize::try_from(spread(id) % FOLDS as u64).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_spread_evenly() {
        let mut counts = [0_usize; FOLDS];
        for number in 0..10_000 {
            counts[fold_of(&format!("decision-{number}"))] += 1;
        }
        assert!(
            counts.iter().all(|count| (1850..2150).contains(count)),
            "{counts:?}"
        );
    }
}
