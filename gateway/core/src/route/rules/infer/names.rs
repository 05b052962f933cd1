//! Names: which variables and members there are, and which of them may be absent.

use cel::{IdedExpr, common::ast::SelectExpr};

use super::{
    super::{
        condition::{ConditionError, Hint},
        vocabulary::{Holds, Kind, Member, ROOTS},
    },
    Checker, place,
    tree::{extended, root},
};

impl Checker<'_> {
    pub(super) fn local(&self, name: &str) -> Option<Kind> {
        let mut locals = self.locals.iter().rev();
        locals
            .find(|(known, _)| known == name)
            .map(|(_, kind)| *kind)
    }

    pub(super) fn variable(
        &self,
        name: &str,
        expression: &IdedExpr,
    ) -> Result<Kind, ConditionError> {
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

    pub(super) fn select(
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
}

/// Returns a member of a group, as an example.
fn first(group: &str) -> &'static str {
    match group {
        "request" => "text",
        "caller" => "subject",
        _ => "agent",
    }
}
