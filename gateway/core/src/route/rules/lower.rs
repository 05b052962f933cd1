//! Prepares a checked condition for being evaluated often: patterns are compiled once, and the text of a message
//! is folded once for all conditions.

use cel::{
    IdedExpr,
    common::{
        ast::{EntryExpr, Expr, LiteralValue, SourceInfo},
        types::Type,
        value::{CowVal, StaticVal, Val},
    },
    context::VariableResolver,
};
use regex::{Regex, RegexBuilder};

use super::{
    condition::{ConditionError, Hint},
    infer::{path, place},
};

/// The variable that holds `request.text.folded()`; nobody can write this name.
pub(super) const FOLDED_TEXT: &str = "@folded_text";
/// How the variables of compiled patterns begin.
const PATTERN: &str = "@pattern";
/// Most memory that a compiled pattern may take, in bytes.
const LARGEST_PATTERN: usize = 256 * 1024;

/// The type of compiled patterns.
pub(super) const PATTERN_TYPE: Type = Type::new_unspecified_type("pattern");
static PATTERN_TYPE_REF: Type = PATTERN_TYPE;

/// A compiled regular expression as a value of a condition.
#[derive(Debug, Clone)]
pub(super) struct Pattern(Regex);

impl Pattern {
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl Val for Pattern {
    fn get_type(&self) -> &Type {
        &PATTERN_TYPE_REF
    }

    fn cel_type() -> &'static Type {
        &PATTERN_TYPE_REF
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        Some(self)
    }
}

impl StaticVal for Pattern {}

/// The compiled patterns of a condition, which finds them as variables.
#[derive(Debug, Default)]
pub(super) struct Patterns(Vec<Pattern>);

impl Patterns {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, pattern: Pattern) -> String {
        self.0.push(pattern);
        format!("{PATTERN}{}", self.0.len() - 1)
    }
}

impl VariableResolver for Patterns {
    fn resolve<'b>(&'b self, variable: &str) -> Option<CowVal<'b, 'b>> {
        let position: usize = variable.strip_prefix(PATTERN)?.parse().ok()?;
        self.0
            .get(position)
            .map(|pattern| CowVal::Borrowed(pattern as &dyn Val))
    }
}

/// Rewrites a condition, and returns the patterns it looks for.
pub(super) fn lower(
    expression: &mut IdedExpr,
    source: &SourceInfo,
) -> Result<Patterns, ConditionError> {
    let mut patterns = Patterns::default();
    rewrite(expression, source, &mut patterns)?;
    Ok(patterns)
}

fn rewrite(
    expression: &mut IdedExpr,
    source: &SourceInfo,
    patterns: &mut Patterns,
) -> Result<(), ConditionError> {
    match &mut expression.expr {
        Expr::Call(call) => {
            if call.func_name == "matches"
                && let [argument] = call.args.as_mut_slice()
            {
                let name = patterns.add(compile(argument, source)?);
                argument.expr = Expr::Ident(name);
            }
            let of_text = |target: &IdedExpr| path(target).as_deref() == Some(&["request", "text"]);
            if call.func_name == "folded" && call.target.as_deref().is_some_and(of_text) {
                expression.expr = Expr::Ident(FOLDED_TEXT.to_owned());
                return Ok(());
            }
            let parts = call.target.as_deref_mut().into_iter().chain(&mut call.args);
            parts
                .map(|part| (part, &*source))
                .try_for_each(|(part, source)| rewrite(part, source, patterns))
        }
        Expr::Select(select) => rewrite(&mut select.operand, source, patterns),
        Expr::List(list) => {
            let mut elements = list.elements.iter_mut();
            elements.try_for_each(|element| rewrite(element, source, patterns))
        }
        Expr::Map(map) => map
            .entries
            .iter_mut()
            .try_for_each(|entry| match &mut entry.expr {
                EntryExpr::MapEntry(entry) => {
                    rewrite(&mut entry.key, source, patterns)?;
                    rewrite(&mut entry.value, source, patterns)
                }
                EntryExpr::StructField(field) => rewrite(&mut field.value, source, patterns),
            }),
        Expr::Comprehension(loops) => {
            let parts = [
                &mut loops.iter_range,
                &mut loops.accu_init,
                &mut loops.loop_cond,
                &mut loops.loop_step,
                &mut loops.result,
            ];
            parts
                .into_iter()
                .try_for_each(|part| rewrite(part, source, patterns))
        }
        Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) | Expr::Unspecified => Ok(()),
    }
}

/// Compiles a pattern, which must be written out: one that comes with a message would be the client's.
fn compile(argument: &IdedExpr, source: &SourceInfo) -> Result<Pattern, ConditionError> {
    let error = |message: String, help: &str| ConditionError {
        message,
        hint: Hint::Text(help.to_owned()),
        at: place(argument, source),
    };
    let Expr::Literal(LiteralValue::String(pattern)) = &argument.expr else {
        let help = "write the pattern out in quotes";
        return Err(error(
            "this pattern is not known before a message comes".to_owned(),
            help,
        ));
    };
    let compiled = RegexBuilder::new(pattern.inner())
        .size_limit(LARGEST_PATTERN)
        .build();
    compiled.map(Pattern).map_err(|cause| match cause {
        regex::Error::CompiledTooBig(_) => {
            let help = "repeat less, or match a shorter piece";
            error("this pattern takes too much memory".to_owned(), help)
        }
        cause => {
            // The last line says what is wrong; those before draw where.
            let text = cause.to_string();
            let why = text.lines().last().unwrap_or_default();
            let why = why.strip_prefix("error: ").unwrap_or(why);
            let help = "backslashes must be doubled in a CEL string, or written as `r\"…\"`";
            error(format!("not a regular expression: {why}"), help)
        }
    })
}
