//! Checks a condition before any message comes: unknown names, members that may be absent, kinds that never fit.
//!
//! CEL would find all of these while it evaluates, which is too late: a message would be turned away for a slip of
//! the pen.

mod calls;

use std::collections::HashSet;

use cel::{
    IdedExpr,
    common::ast::{ComprehensionExpr, EntryExpr, Expr, LiteralValue, SelectExpr, SourceInfo},
};

use super::{
    condition::{ConditionError, Hint},
    vocabulary::{Holds, Kind, Member, ROOTS},
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
    let mut guarded = HashSet::new();
    collect_guards(expression, &mut guarded);
    let mut checker = Checker {
        source,
        guarded,
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

/// Returns the names of a path such as `request.hints.agent`, if that is all there is.
pub(super) fn path(expression: &IdedExpr) -> Option<Vec<&str>> {
    match &expression.expr {
        Expr::Ident(name) => Some(vec![name]),
        Expr::Select(select) if !select.test => extended(select),
        _ => None,
    }
}

fn extended(select: &SelectExpr) -> Option<Vec<&str>> {
    let mut names = path(&select.operand)?;
    names.push(&select.field);
    Some(names)
}

/// Returns what a path such as `request.hints.agent` begins with.
fn root(expression: &IdedExpr) -> &IdedExpr {
    match &expression.expr {
        Expr::Select(select) => root(&select.operand),
        _ => expression,
    }
}

/// Returns where something stands, in characters.
pub(super) fn place(expression: &IdedExpr, source: &SourceInfo) -> Option<(usize, usize)> {
    let (start, last) = source.offset_for(expression.id)?;
    let characters = |end: u32| {
        let end = source
            .source
            .floor_char_boundary(usize::try_from(end).ok()?);
        source
            .source
            .get(..end)
            .map(|before| before.chars().count())
    };
    Some((characters(start)?, characters(last)? + 1))
}

/// Collects the paths that `has()` asks about.
fn collect_guards(expression: &IdedExpr, guarded: &mut HashSet<String>) {
    if let Expr::Select(select) = &expression.expr
        && select.test
        && let Some(names) = extended(select)
    {
        guarded.insert(names.join("."));
    }
    for part in parts(expression) {
        collect_guards(part, guarded);
    }
}

/// Returns what an expression is made of.
fn parts(expression: &IdedExpr) -> Vec<&IdedExpr> {
    match &expression.expr {
        Expr::Call(call) => call
            .target
            .as_deref()
            .into_iter()
            .chain(&call.args)
            .collect(),
        Expr::Select(select) => vec![&select.operand],
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => map
            .entries
            .iter()
            .flat_map(|entry| entry_parts(&entry.expr))
            .collect(),
        Expr::Struct(structure) => {
            let entries = structure.entries.iter();
            entries.flat_map(|entry| entry_parts(&entry.expr)).collect()
        }
        Expr::Comprehension(loops) => vec![
            &loops.iter_range,
            &loops.accu_init,
            &loops.loop_cond,
            &loops.loop_step,
            &loops.result,
        ],
        Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified => Vec::new(),
    }
}

fn entry_parts(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
        EntryExpr::StructField(field) => vec![&field.value],
    }
}

struct Checker<'e> {
    source: &'e SourceInfo,
    guarded: HashSet<String>,
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

    fn local(&self, name: &str) -> Option<Kind> {
        let mut locals = self.locals.iter().rev();
        locals
            .find(|(known, _)| known == name)
            .map(|(_, kind)| *kind)
    }

    fn variable(&self, name: &str, expression: &IdedExpr) -> Result<Kind, ConditionError> {
        if let Some(kind) = self.local(name) {
            return Ok(kind);
        }
        let known = ROOTS.iter().map(|root| root.name);
        if known.clone().any(|root| root == name) {
            let help = format!("name one of its members, such as `{name}.{}`", first(name));
            return Err(self.error(expression, format!("`{name}` is no value by itself"), help));
        }
        Err(ConditionError {
            message: format!("there is no variable `{name}`"),
            hint: Hint::Known("variables", name.to_owned(), known.collect()),
            at: place(expression, self.source),
        })
    }

    fn select(
        &mut self,
        select: &SelectExpr,
        expression: &IdedExpr,
    ) -> Result<Kind, ConditionError> {
        let names = extended(select)
            .filter(|names| names.first().is_some_and(|root| self.local(root).is_none()));
        let Some(names) = names else {
            // A member of something that only a message shows.
            self.kind(&select.operand)?;
            return Ok(if select.test {
                Kind::Flag
            } else {
                Kind::Unknown
            });
        };
        let mut members = ROOTS;
        let mut found: Option<&Member> = None;
        for (depth, name) in names.iter().enumerate() {
            let next = members.iter().find(|member| member.name == *name);
            let Some(next) = next else {
                return Err(self.unknown_member(
                    names.get(..=depth).unwrap_or_default(),
                    members,
                    expression,
                ));
            };
            members = match &next.holds {
                Holds::Members(members) => members,
                Holds::Value(_) => &[],
            };
            found = Some(next);
        }
        let shown = names.join(".");
        match found {
            Some(Member {
                holds: Holds::Value(_),
                ..
            }) if select.test => Ok(Kind::Flag),
            Some(Member {
                holds: Holds::Value(kind),
                optional,
                ..
            }) => {
                if *optional && !self.guarded.contains(&shown) {
                    let help = format!("guard it: `has({shown}) && …`");
                    let message = format!(
                        "`{shown}` is absent from most messages, which would be turned away"
                    );
                    return Err(self.error(expression, message, help));
                }
                self.reads_text |= shown == "request.text";
                Ok(*kind)
            }
            _ => {
                let help = format!(
                    "name one of its members, such as `{shown}.{}`",
                    first(&shown)
                );
                Err(self.error(expression, format!("`{shown}` is no value by itself"), help))
            }
        }
    }

    fn unknown_member(
        &self,
        names: &[&str],
        members: &[Member],
        expression: &IdedExpr,
    ) -> ConditionError {
        let (name, before) = names.split_last().map_or(("", ""), |(name, before)| {
            (*name, before.last().copied().unwrap_or_default())
        });
        if before.is_empty() {
            let known = ROOTS.iter().map(|root| root.name).collect();
            return ConditionError {
                message: format!("there is no variable `{name}`"),
                hint: Hint::Known("variables", name.to_owned(), known),
                at: place(root(expression), self.source),
            };
        }
        // The place of a path is its last point; the name comes after it.
        let at = place(expression, self.source).map(|(_, end)| (end, end + name.chars().count()));
        let message = format!("`{before}` has no member `{name}`");
        if members.is_empty() {
            let help = format!("`{before}` is a value: compare it or call a function on it");
            return ConditionError {
                message,
                hint: Hint::Text(help),
                at,
            };
        }
        let known = members.iter().map(|member| member.name).collect();
        ConditionError {
            message,
            hint: Hint::Known("members", name.to_owned(), known),
            at,
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

/// Returns a member of a group, as an example.
fn first(group: &str) -> &'static str {
    match group {
        "request" => "text",
        "caller" => "subject",
        _ => "agent",
    }
}
