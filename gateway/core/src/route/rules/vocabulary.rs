//! The words of conditions: what `request` and `caller` hold, and the functions there are.

use std::sync::{Arc, LazyLock};

use cel::{
    Env, ExecutionError,
    common::{
        types::{CelBool, CelString, STRING_TYPE},
        value::CowVal,
    },
};

use super::lower::{PATTERN_TYPE, Pattern};
use crate::fit::fold;

/// What kind of value something is, as far as that is known before a message is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// True or false.
    Flag,
    /// Text.
    Text,
    /// A whole number.
    Whole,
    /// A number with decimals.
    Decimal,
    /// A list of text.
    Texts,
    /// A list of something.
    List,
    /// A map.
    Map,
    /// Not known.
    Unknown,
}

impl Kind {
    /// Returns the kind in words.
    pub(super) fn shown(self) -> &'static str {
        match self {
            Self::Flag => "true or false",
            Self::Text => "text",
            Self::Whole => "a whole number",
            Self::Decimal => "a number",
            Self::Texts | Self::List => "a list",
            Self::Map => "a map",
            Self::Unknown => "something",
        }
    }

    pub(super) fn is_number(self) -> bool {
        matches!(self, Self::Whole | Self::Decimal)
    }

    pub(super) fn is_list(self) -> bool {
        matches!(self, Self::Texts | Self::List)
    }

    /// Returns whether values of both kinds can be equal.
    pub(super) fn meets(self, other: Self) -> bool {
        self == other
            || self == Self::Unknown
            || other == Self::Unknown
            || (self.is_number() && other.is_number())
            || (self.is_list() && other.is_list())
    }
}

/// A member of something that conditions can read.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) holds: Holds,
    /// Whether it may be absent, so that it must be guarded with `has()`.
    pub(super) optional: bool,
}

/// What a member holds.
#[derive(Debug)]
pub(super) enum Holds {
    Value(Kind),
    Members(&'static [Member]),
}

const fn always(name: &'static str, kind: Kind) -> Member {
    Member {
        name,
        holds: Holds::Value(kind),
        optional: false,
    }
}

const fn perhaps(name: &'static str, kind: Kind) -> Member {
    Member {
        name,
        holds: Holds::Value(kind),
        optional: true,
    }
}

const fn group(name: &'static str, members: &'static [Member]) -> Member {
    Member {
        name,
        holds: Holds::Members(members),
        optional: false,
    }
}

/// All that conditions can read.
pub(super) const ROOTS: &[Member] = &[
    group(
        "request",
        &[
            always("text", Kind::Text),
            always("text_cut", Kind::Flag),
            always("data_keys", Kind::Texts),
            always("input_modes", Kind::Texts),
            always("output_modes", Kind::Texts),
            always("extensions", Kind::Texts),
            always("streaming", Kind::Flag),
            always("push", Kind::Flag),
            always("operation", Kind::Text),
            always("version", Kind::Text),
            always("binding", Kind::Text),
            group(
                "hints",
                &[
                    perhaps("agent", Kind::Text),
                    perhaps("skill", Kind::Text),
                    perhaps("profile", Kind::Text),
                    perhaps("max_latency_ms", Kind::Decimal),
                    perhaps("max_cost_eur", Kind::Decimal),
                    perhaps("max_effect", Kind::Text),
                ],
            ),
        ],
    ),
    group(
        "caller",
        &[always("subject", Kind::Text), perhaps("tenant", Kind::Text)],
    ),
];

/// Members that hold one of few words.
pub(super) const WORDS: &[(&str, &[&str])] = &[
    ("request.version", &["0.3", "1.0"]),
    ("request.binding", &["JSONRPC", "HTTP+JSON", "GRPC"]),
    (
        "request.operation",
        &["SendMessage", "SendStreamingMessage"],
    ),
    (
        "request.hints.max_effect",
        &["read", "prepare", "reversible_write", "external_effect"],
    ),
];

/// A function that is called on a value, `value.name(…)`.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) target: Kind,
    pub(super) arguments: &'static [Kind],
    pub(super) gives: Kind,
}

/// The functions that are called on text.
pub(super) const FUNCTIONS: &[Function] = &[
    on_text("contains", &[Kind::Text], Kind::Flag),
    on_text("startsWith", &[Kind::Text], Kind::Flag),
    on_text("endsWith", &[Kind::Text], Kind::Flag),
    on_text("matches", &[Kind::Text], Kind::Flag),
    on_text("folded", &[], Kind::Text),
];

const fn on_text(name: &'static str, arguments: &'static [Kind], gives: Kind) -> Function {
    Function {
        name,
        target: Kind::Text,
        arguments,
        gives,
    }
}

/// All names that can stand before a bracket, for suggestions.
pub(super) const CALLS: [&str; 11] = [
    "contains",
    "startsWith",
    "endsWith",
    "matches",
    "folded",
    "size",
    "has",
    "all",
    "exists",
    "exists_one",
    "filter",
];

/// Returns the functions that conditions are evaluated with.
pub(super) fn environment() -> Arc<Env> {
    static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
        let mut environment = Env::stdlib().with_optional_support(false);
        let own = environment
            .add_member_overload("folded", "folded_text", STRING_TYPE, Vec::new(), folded)
            .and_then(|()| {
                let arguments = vec![PATTERN_TYPE];
                environment.add_member_overload(
                    "matches",
                    "matches_pattern",
                    STRING_TYPE,
                    arguments,
                    matches,
                )
            });
        debug_assert!(own.is_ok(), "{own:?}");
        Arc::new(environment)
    });
    Arc::clone(&ENVIRONMENT)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "functions of CEL take their arguments so"
)]
fn folded<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let text = arguments
        .first()
        .and_then(|text| text.downcast_ref::<CelString<'_>>());
    let text = text.ok_or_else(ExecutionError::missing_argument_or_target)?;
    Ok(CowVal::owned(CelString::from(fold(text.inner()))))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "functions of CEL take their arguments so"
)]
fn matches<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let mut arguments = arguments.iter();
    let text = arguments
        .next()
        .and_then(|text| text.downcast_ref::<CelString<'_>>());
    let pattern = arguments
        .next()
        .and_then(|pattern| pattern.downcast_ref::<Pattern>());
    let (text, pattern) = text
        .zip(pattern)
        .ok_or_else(ExecutionError::missing_argument_or_target)?;
    Ok(CowVal::owned(CelBool::from(pattern.is_match(text.inner()))))
}
