//! Calls: which functions and operators there are, and what they take.

use cel::{
    IdedExpr,
    common::ast::{CallExpr, Expr, LiteralValue, SourceInfo, operators},
};

use super::{
    super::{
        condition::{ConditionError, Hint},
        vocabulary::{CALLS, FUNCTIONS, Function, Kind, WORDS},
    },
    Checker, guards, path, place,
};
use crate::fit::fold;

impl Checker<'_> {
    pub(super) fn call(
        &mut self,
        call: &CallExpr,
        expression: &IdedExpr,
    ) -> Result<Kind, ConditionError> {
        if let Some(target) = call.target.as_deref() {
            return self.method(target, call, expression);
        }
        let mut kinds = Vec::with_capacity(call.args.len());
        for (place, argument) in call.args.iter().enumerate() {
            let before = self.guarded.len();
            self.guarded.extend(guards::beside(call, place));
            let kind = self.kind(argument);
            self.guarded.truncate(before);
            kinds.push(kind?);
        }
        self.knows_words(call)?;
        match (call.func_name.as_str(), kinds.as_slice()) {
            (operators::LOGICAL_AND | operators::LOGICAL_OR, &[left, right]) => {
                self.flags(&[left, right], expression)
            }
            (operators::LOGICAL_NOT | operators::NOT_STRICTLY_FALSE, &[value]) => {
                self.flags(&[value], expression)
            }
            (operators::CONDITIONAL, &[condition, left, right]) => {
                self.flags(&[condition], expression)?;
                Ok(if left == right { left } else { Kind::Unknown })
            }
            (operators::EQUALS | operators::NOT_EQUALS, &[left, right]) => {
                self.alike((left, right), "equal", expression)
            }
            (
                operators::LESS
                | operators::LESS_EQUALS
                | operators::GREATER
                | operators::GREATER_EQUALS,
                &[left, right],
            ) if !left.is_list() && left != Kind::Map => {
                self.alike((left, right), "less or greater", expression)
            }
            (operators::IN, &[element, list]) => self.within(element, list, expression),
            (
                operators::ADD
                | operators::SUBSTRACT
                | operators::MULTIPLY
                | operators::DIVIDE
                | operators::MODULO,
                &[left, right],
            ) => self.computed((left, right), call, expression),
            (operators::NEGATE, &[value]) if value.is_number() || value == Kind::Unknown => {
                Ok(value)
            }
            (operators::INDEX, &[list, _]) if list.is_list() => Ok(if list == Kind::Texts {
                Kind::Text
            } else {
                Kind::Unknown
            }),
            (operators::INDEX, &[Kind::Map | Kind::Unknown, _]) => Ok(Kind::Unknown),
            ("size", &[value]) => self.size(value, expression),
            (name, _) => Err(self.unknown_call(name, expression)),
        }
    }

    fn method(
        &mut self,
        target: &IdedExpr,
        call: &CallExpr,
        expression: &IdedExpr,
    ) -> Result<Kind, ConditionError> {
        let name = call.func_name.as_str();
        let known = FUNCTIONS.iter().find(|function| function.name == name);
        if known.is_none() && (name, call.args.len()) != ("size", 0) {
            return Err(self.unknown_call(name, expression));
        }
        let kind = self.kind(target)?;
        let Some(function) = known else {
            return self.size(kind, expression);
        };
        if !kind.meets(function.target) {
            let message = format!("`{name}` looks into text, and this is {}", kind.shown());
            let help = if kind.is_list() {
                "write `\"x\" in list`, or `list.exists(element, element.contains(\"x\"))`"
            } else {
                "call it on text such as `request.text`"
            };
            return Err(self.error(expression, message, help));
        }
        self.arguments(function, call, expression)?;
        if is_folded(target) {
            self.folds_alike(call)?;
        }
        Ok(function.gives)
    }

    fn arguments(
        &mut self,
        function: &Function,
        call: &CallExpr,
        expression: &IdedExpr,
    ) -> Result<(), ConditionError> {
        let name = function.name;
        if call.args.len() != function.arguments.len() {
            let message = format!(
                "`{name}` takes {} in its brackets, and here are {}",
                if function.arguments.is_empty() {
                    "nothing"
                } else {
                    "one text"
                },
                call.args.len()
            );
            return Err(self.error(expression, message, format!("write `{}`", example(name))));
        }
        for (argument, wanted) in call.args.iter().zip(function.arguments) {
            let kind = self.kind(argument)?;
            if !kind.meets(*wanted) {
                let message = format!("`{name}` takes {}, not {}", wanted.shown(), kind.shown());
                return Err(self.error(argument, message, format!("write `{}`", example(name))));
            }
        }
        Ok(())
    }

    /// Checks that what is looked for in folded text is folded as well; else it would never be found.
    fn folds_alike(&self, call: &CallExpr) -> Result<(), ConditionError> {
        let looks_for_words = matches!(
            call.func_name.as_str(),
            "contains" | "startsWith" | "endsWith"
        );
        for argument in call.args.iter().filter(|_| looks_for_words) {
            if let Expr::Literal(LiteralValue::String(written)) = &argument.expr
                && fold(written.inner()) != written.inner()
            {
                let message =
                    "this never stands in folded text, which has neither capitals nor accents";
                let help = format!("write `\"{}\"`", fold(written.inner()));
                return Err(self.error(argument, message, help));
            }
        }
        Ok(())
    }

    /// Checks that a member with few words is compared with one of them; else it would never be equal.
    fn knows_words(&self, call: &CallExpr) -> Result<(), ConditionError> {
        let compares = matches!(
            call.func_name.as_str(),
            operators::EQUALS | operators::NOT_EQUALS | operators::IN
        );
        let ([left, right], true) = (call.args.as_slice(), compares) else {
            return Ok(());
        };
        for (member, other) in [(left, right), (right, left)] {
            let Some(shown) = path(member).map(|names| names.join(".")) else {
                continue;
            };
            let Some((_, words)) = WORDS.iter().find(|(name, _)| *name == shown) else {
                continue;
            };
            let compared = match &other.expr {
                Expr::List(list) => list.elements.as_slice(),
                _ => std::slice::from_ref(other),
            };
            for literal in compared {
                if let Expr::Literal(LiteralValue::String(written)) = &literal.expr
                    && !words.contains(&written.inner())
                {
                    let written = written.inner();
                    return Err(ConditionError {
                        message: format!("`{shown}` is never `{written}`"),
                        hint: Hint::Known("words", written.to_owned(), words.to_vec()),
                        at: place(literal, self.source),
                    });
                }
            }
        }
        Ok(())
    }

    fn flags(&self, kinds: &[Kind], expression: &IdedExpr) -> Result<Kind, ConditionError> {
        match kinds.iter().find(|kind| !kind.meets(Kind::Flag)) {
            None => Ok(Kind::Flag),
            Some(kind) => {
                let message = format!(
                    "this needs true or false on each side, and one is {}",
                    kind.shown()
                );
                Err(self.error(expression, message, "compare it with something"))
            }
        }
    }

    fn alike(
        &self,
        (left, right): (Kind, Kind),
        how: &str,
        expression: &IdedExpr,
    ) -> Result<Kind, ConditionError> {
        if left.meets(right) {
            return Ok(Kind::Flag);
        }
        let message = format!("{} and {} are never {how}", left.shown(), right.shown());
        Err(self.error(expression, message, "compare values of the same kind"))
    }

    fn within(
        &self,
        element: Kind,
        list: Kind,
        expression: &IdedExpr,
    ) -> Result<Kind, ConditionError> {
        if list == Kind::Text {
            let help = "write `request.text.contains(\"x\")`";
            return Err(self.error(expression, "`in` looks into lists, not into text", help));
        }
        let could_hold = match list {
            Kind::Texts => element.meets(Kind::Text),
            _ => list.is_list() || matches!(list, Kind::Map | Kind::Unknown),
        };
        if could_hold {
            return Ok(Kind::Flag);
        }
        let message = format!("{} is never in {}", element.shown(), list.shown());
        Err(self.error(
            expression,
            message,
            "write for example `\"iban\" in request.data_keys`",
        ))
    }

    fn computed(
        &self,
        (left, right): (Kind, Kind),
        call: &CallExpr,
        expression: &IdedExpr,
    ) -> Result<Kind, ConditionError> {
        let adds = call.func_name == operators::ADD;
        let text = left == Kind::Text || right == Kind::Text;
        // What loops gather is a list to which elements are added.
        let lists = left.is_list() && (right.is_list() || right == Kind::Unknown);
        let numbers = left.is_number() && right.is_number() && left == right;
        let unknown = left == Kind::Unknown || right == Kind::Unknown;
        if numbers || unknown || (adds && (lists || (text && left == right))) {
            return Ok(if left == Kind::Unknown { right } else { left });
        }
        let message = format!(
            "{} and {} cannot be computed with each other",
            left.shown(),
            right.shown()
        );
        let help = "use numbers of the same form, such as `2.0` with numbers that have decimals";
        Err(self.error(expression, message, help))
    }

    fn size(&self, kind: Kind, expression: &IdedExpr) -> Result<Kind, ConditionError> {
        if kind.is_list() || matches!(kind, Kind::Text | Kind::Map | Kind::Unknown) {
            return Ok(Kind::Whole);
        }
        let message = format!("`size` counts text or a list, and this is {}", kind.shown());
        Err(self.error(expression, message, "write `size(request.text)`"))
    }

    fn unknown_call(&self, name: &str, expression: &IdedExpr) -> ConditionError {
        if name.starts_with(['_', '@', '!', '-']) {
            let help = "compare text with text, numbers with numbers, and index lists";
            return self.error(expression, "these values do not go together here", help);
        }
        let mut known = CALLS.to_vec();
        // `map` has its place inside other calls and is never what was meant.
        known.sort_unstable();
        ConditionError {
            message: format!("there is no function `{name}` of this form"),
            hint: Hint::Known("functions", name.to_owned(), known),
            at: name_place(name, expression, self.source),
        }
    }
}

/// Returns where the name of a function stands: a call is placed at its bracket.
fn name_place(name: &str, expression: &IdedExpr, source: &SourceInfo) -> Option<(usize, usize)> {
    let (bracket, end) = place(expression, source)?;
    let start = bracket.saturating_sub(name.chars().count());
    let before = source.source.chars().skip(start).take(bracket - start);
    let is_name = before.eq(name.chars());
    Some(if is_name {
        (start, bracket)
    } else {
        (bracket, end)
    })
}

fn is_folded(target: &IdedExpr) -> bool {
    matches!(&target.expr, Expr::Call(call) if call.func_name == "folded")
}

fn example(name: &str) -> String {
    match name {
        "folded" => "request.text.folded().contains(\"matricula\")".to_owned(),
        "matches" => "request.text.matches(\"[0-9]{8}\")".to_owned(),
        name => format!("request.text.{name}(\"x\")"),
    }
}
