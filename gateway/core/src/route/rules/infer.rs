//! Checks a condition before any message comes: unknown names, members that may be absent, kinds that never fit.
//!
//! CEL would find all of these while it evaluates, which is too late: a message would be turned away for a slip of
//! the pen.

mod calls;
mod guards;
mod names;
mod tree;

use cel::{
    IdedExpr,
    common::ast::{ComprehensionExpr, Expr, LiteralValue, SourceInfo},
};

use self::tree::parts;
pub(super) use self::tree::{path, place};
use super::{
    condition::{ConditionError, Hint},
    vocabulary::Kind,
};

/// How deep a condition may go: evaluating it takes as much stack.
const DEEPEST: usize = 48;
/// How many loops may stand within each other.
const MOST_LOOPS: usize = 2;

/// What is known of a condition that may be used.
#[derive(Debug)]
pub(super) struct Findings {
    /// Whether it asks for the text of a message.
    pub(super) reads_text: bool,
    /// Its answer, if it is written out.
    pub(super) always: Option<bool>,
}

/// Checks a condition.
pub(super) fn check(
    expression: &IdedExpr,
    source: &SourceInfo,
) -> Result<Findings, ConditionError> {
    let mut checker = Checker {
        source,
        guarded: Vec::new(),
        locals: Vec::new(),
        loops: 0,
        depth: 0,
        reads_text: false,
    };
    let kind = checker.kind(expression)?;
    if !Kind::Flag.meets(kind) {
        return Err(ConditionError {
            message: format!("the condition is {}, not true or false", kind.shown()),
            hint: Hint::Text("compare it with something".to_owned()),
            at: None,
        });
    }
    Ok(Findings {
        reads_text: checker.reads_text,
        always: match &expression.expr {
            Expr::Literal(LiteralValue::Boolean(answer)) => Some(*answer.inner()),
            _ => None,
        },
    })
}

struct Checker<'e> {
    source: &'e SourceInfo,
    /// The paths that are known to be there at this place.
    guarded: Vec<String>,
    /// The variables of loops around, innermost last.
    locals: Vec<(String, Kind)>,
    loops: usize,
    depth: usize,
    reads_text: bool,
}

impl Checker<'_> {
    /// Returns the kind of an expression, if nothing is wrong with it.
    fn kind(&mut self, expression: &IdedExpr) -> Result<Kind, ConditionError> {
        if self.depth == DEEPEST {
            let help = "split it into several rules";
            return Err(self.error(expression, "the condition goes too deep", help));
        }
        self.depth += 1;
        let kind = self.kind_within(expression);
        self.depth -= 1;
        kind
    }

    fn kind_within(&mut self, expression: &IdedExpr) -> Result<Kind, ConditionError> {
        match &expression.expr {
            Expr::Literal(literal) => Ok(of_literal(literal)),
            Expr::Ident(name) => self.variable(name, expression),
            Expr::Select(select) => self.select(select, expression),
            Expr::Call(call) => self.call(call, expression),
            Expr::List(list) => self.list(&list.elements),
            Expr::Map(_) => {
                for part in parts(expression) {
                    self.kind(part)?;
                }
                Ok(Kind::Map)
            }
            Expr::Comprehension(loops) => self.comprehension(loops, expression),
            Expr::Struct(_) | Expr::Unspecified => {
                let help = "write a list or a map";
                Err(self.error(expression, "there are no types with fields here", help))
            }
        }
    }

    fn error(
        &self,
        expression: &IdedExpr,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ConditionError {
        ConditionError {
            message: message.into(),
            hint: Hint::Text(help.into()),
            at: place(expression, self.source),
        }
    }

    fn list(&mut self, elements: &[IdedExpr]) -> Result<Kind, ConditionError> {
        let mut kinds = Vec::with_capacity(elements.len());
        for element in elements {
            kinds.push(self.kind(element)?);
        }
        let all_text = !kinds.is_empty() && kinds.iter().all(|kind| *kind == Kind::Text);
        Ok(if all_text { Kind::Texts } else { Kind::List })
    }

    fn comprehension(
        &mut self,
        loops: &ComprehensionExpr,
        expression: &IdedExpr,
    ) -> Result<Kind, ConditionError> {
        let range = self.kind(&loops.iter_range)?;
        if !(range.is_list() || matches!(range, Kind::Map | Kind::Unknown)) {
            let message = format!(
                "this loops over {}, and only lists have elements",
                range.shown()
            );
            return Err(self.error(
                expression,
                message,
                "use a list such as `request.data_keys`",
            ));
        }
        if self.loops == MOST_LOOPS {
            let help = "split it into several rules";
            return Err(self.error(expression, "these loops go too deep", help));
        }
        let start = self.kind(&loops.accu_init)?;
        let element = if range == Kind::Texts {
            Kind::Text
        } else {
            Kind::Unknown
        };
        let before = self.locals.len();
        self.locals.push((loops.iter_var.clone(), element));
        self.locals
            .extend(loops.iter_var2.clone().map(|name| (name, Kind::Unknown)));
        self.locals.push((loops.accu_var.clone(), start));
        self.loops += 1;
        self.kind(&loops.loop_cond)?;
        self.kind(&loops.loop_step)?;
        let kind = self.kind(&loops.result);
        self.loops -= 1;
        self.locals.truncate(before);
        kind
    }
}

fn of_literal(literal: &LiteralValue) -> Kind {
    match literal {
        LiteralValue::Boolean(_) => Kind::Flag,
        LiteralValue::String(_) => Kind::Text,
        LiteralValue::Int(_) | LiteralValue::UInt(_) => Kind::Whole,
        LiteralValue::Double(_) => Kind::Decimal,
        LiteralValue::Bytes(_) | LiteralValue::Null => Kind::Unknown,
    }
}
