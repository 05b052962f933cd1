//! A condition: compiled and checked once, evaluated for every message.

use std::{fmt, thread};

use cel::{Context, ExecutionError, IdedExpr, Value, common::types::CelBool};

use super::{
    infer::{self, Findings},
    input::Scope,
    lower::{Patterns, lower},
    vocabulary,
};

/// Longest condition, in characters.
pub const LONGEST_CONDITION: usize = 2_000;

/// The stack that conditions are compiled on, in bytes: the parser goes down many levels for each bracket.
const STACK: usize = 64 * 1024 * 1024;

/// A CEL expression that is true or false for a message.
pub struct Condition {
    written: String,
    expression: IdedExpr,
    patterns: Patterns,
    reads_text: bool,
    always: Option<bool>,
}

/// What is wrong with a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConditionError {
    /// What is wrong.
    pub message: String,
    /// What helps.
    pub hint: Hint,
    /// Where, in characters from the start of the condition; the whole of it if absent.
    pub at: Option<(usize, usize)>,
}

/// What helps against an error in a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// These words.
    Text(String),
    /// A name that is known: what kind of names, the one that was given, and all there are.
    Known(&'static str, String, Vec<&'static str>),
}

impl fmt::Debug for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.written, formatter)
    }
}

impl Condition {
    /// Compiles a condition.
    ///
    /// # Errors
    /// [`ConditionError`] says what in it cannot mean anything, would fail for every message or is too large.
    pub fn compile(text: &str) -> Result<Self, ConditionError> {
        let length = text.chars().count();
        if length > LONGEST_CONDITION {
            return Err(ConditionError {
                message: format!("the condition is {length} characters long"),
                hint: Hint::Text(format!(
                    "write at most {LONGEST_CONDITION}, or split it into several rules"
                )),
                at: None,
            });
        }
        thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(STACK);
            let compiling = thread.spawn_scoped(scope, || Self::compile_here(text));
            compiling
                .map_err(|error| unreadable(&error.to_string()))?
                .join()
                .unwrap_or_else(|_| Err(unreadable("the parser broke off")))
        })
    }

    /// Compiles a condition on the stack at hand.
    fn compile_here(text: &str) -> Result<Self, ConditionError> {
        let parser = vocabulary::environment().parser();
        let (mut expression, source) = parser
            .parse_with_source_info(text)
            .map_err(|errors| syntax(text, &errors))?;
        let Findings { reads_text, always } = infer::check(&expression, &source)?;
        let patterns = lower(&mut expression, &source)?;
        Ok(Self {
            written: text.to_owned(),
            expression,
            patterns,
            reads_text,
            always,
        })
    }

    /// Returns whether the condition asks for the text of a message.
    #[must_use]
    pub fn reads_text(&self) -> bool {
        self.reads_text
    }

    /// Returns the answer of a condition that is the same for every message.
    #[must_use]
    pub fn always(&self) -> Option<bool> {
        self.always
    }

    /// Evaluates the condition. What goes wrong is said without the values, which are the client's.
    pub(super) fn holds(&self, scope: &Scope<'_>) -> Result<bool, &'static str> {
        let context = scope.context();
        if self.patterns.is_empty() {
            return self.evaluate(&context);
        }
        let mut inner = context.new_inner_scope();
        inner.set_variable_resolver(&self.patterns);
        self.evaluate(&inner)
    }

    fn evaluate(&self, context: &Context<'_, '_>) -> Result<bool, &'static str> {
        let value = Value::resolve_val(&self.expression, context).map_err(|error| say(&error))?;
        let value = value.downcast_ref::<CelBool>();
        value
            .map(|value| *value.inner())
            .ok_or("its condition is neither true nor false")
    }
}

fn say(error: &ExecutionError) -> &'static str {
    match error {
        ExecutionError::NoSuchKey(_) => "its condition reads what is absent; guard it with `has()`",
        ExecutionError::IndexOutOfBounds(_) => "its condition reads beyond the end of a list",
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "its condition divides by zero"
        }
        ExecutionError::Overflow(..) => "a number in its condition is too large",
        ExecutionError::FunctionError { .. } => {
            "a function in its condition cannot use the value it gets"
        }
        ExecutionError::NoSuchOverload(_) | ExecutionError::UnexpectedType { .. } => {
            "its condition uses a value of another type than it expects"
        }
        _ => "its condition cannot be evaluated",
    }
}

fn unreadable(why: &str) -> ConditionError {
    ConditionError {
        message: format!("the condition cannot be read: {why}"),
        hint: Hint::Text("split it into several rules".to_owned()),
        at: None,
    }
}

/// Takes the first thing the parser says; what follows is mostly about the same.
fn syntax(text: &str, errors: &cel::ParseErrors) -> ConditionError {
    let first = errors.errors.first();
    let message = first.map_or("it cannot be read", |error| error.msg.as_str());
    let message = message.strip_prefix("Syntax error: ").unwrap_or(message);
    let at = first.and_then(|error| place(text, error.pos));
    ConditionError {
        message: format!("not a CEL expression: {message}"),
        hint: Hint::Text("write for example `request.text.contains(\"invoice\")`".to_owned()),
        at,
    }
}

/// Turns line and column into characters from the start.
fn place(text: &str, (line, column): (isize, isize)) -> Option<(usize, usize)> {
    let (line, column) = (usize::try_from(line).ok()?, usize::try_from(column).ok()?);
    let before = text.split_inclusive('\n').take(line.checked_sub(1)?);
    let before: usize = before.map(|line| line.chars().count()).sum();
    let start = before + column.checked_sub(1)?;
    Some((start, start + 1))
}
