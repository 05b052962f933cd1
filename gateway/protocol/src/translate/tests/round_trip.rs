//! There and back again: what differs afterwards must be what the losses name, no more and no less.

mod generate;
mod remove;

use proptest::prelude::*;

use super::*;

/// Says which half of a call a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Params,
    Result,
}

/// Is a valid value of a dialect.
#[derive(Debug, Clone)]
struct Sample {
    dialect: Dialect,
    operation: Operation,
    half: Half,
    value: Value,
}

fn assert_round_trip(sample: &Sample, over: Dialect) -> Result<(), TestCaseError> {
    let mut losses = Losses::default();
    let there = Translator::new(sample.dialect, over);
    let convert = |translator: Translator, value: Value, losses: &mut Losses| match sample.half {
        Half::Params => translator.params(sample.operation, value, losses),
        Half::Result => translator.result(sample.operation, value, losses),
    };
    let away = convert(there, sample.value.clone(), &mut losses)
        .map_err(|error| TestCaseError::fail(format!("{error} on the way")))?;
    let mut none = Losses::default();
    let back = convert(there.reversed(), away.clone(), &mut none)
        .map_err(|error| TestCaseError::fail(format!("{error} on the way back of {away}")))?;
    prop_assert!(none.is_empty(), "the way back loses {none:?} of {away}");

    let mut expected = sample.clone();
    let mut back = Sample {
        value: back,
        ..*sample
    };
    let removed = remove::lost(&mut expected, &losses);
    remove::said_in_two_ways(&mut expected);
    remove::said_in_two_ways(&mut back);
    prop_assert_eq!(expected.value, back.value, "over {}", away);
    prop_assert_eq!(removed, losses);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn new_to_old_and_back_loses_what_is_named(sample in generate::sample(V1)) {
        assert_round_trip(&sample, V03)?;
    }

    #[test]
    fn new_to_old_protobuf_and_back_loses_what_is_named(sample in generate::sample(V1)) {
        assert_round_trip(&sample, V03Proto)?;
    }

    #[test]
    fn old_to_new_and_back_loses_what_is_named(sample in generate::sample(V03)) {
        assert_round_trip(&sample, V1)?;
    }

    #[test]
    fn any_json_is_converted_or_refused(value in generate::json()) {
        for (from, to) in PAIRS {
            let translator = Translator::new(DIALECTS[from], DIALECTS[to]);
            for operation in Operation::ALL {
                let mut losses = Losses::default();
                if let Err(error) = translator.params(operation, value.clone(), &mut losses) {
                    prop_assert!([-32602, -32004].contains(&error.code()), "{}", error);
                }
                if let Err(error) = translator.result(operation, value.clone(), &mut losses) {
                    prop_assert_eq!(error.code(), -32006);
                }
            }
        }
    }
}

#[test]
fn the_samples_show_most_losses() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let mut seen = Losses::default();
    for (from, to) in [(V1, V03), (V1, V03Proto), (V03, V1)] {
        for _ in 0..2_000 {
            let sample = generate::sample(from)
                .new_tree(&mut runner)
                .unwrap()
                .current();
            let translator = Translator::new(from, to);
            let converted = match sample.half {
                Half::Params => translator.params(sample.operation, sample.value, &mut seen),
                Half::Result => translator.result(sample.operation, sample.value, &mut seen),
            };
            converted.unwrap();
        }
    }
    // Samples are well formed, and numbers are a matter of the binding.
    let others = [
        Loss::UnknownMember,
        Loss::UnknownState,
        Loss::UnknownRole,
        Loss::Timestamp,
        Loss::NumberPrecision,
    ];
    for loss in Loss::ALL {
        assert_ne!(seen.contains(loss), others.contains(&loss), "{loss}");
    }
}
