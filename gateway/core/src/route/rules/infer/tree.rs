//! The tree of a condition: paths, places and parts.

use cel::{
    IdedExpr,
    common::ast::{EntryExpr, Expr, SelectExpr, SourceInfo},
};

/// Returns the names of a path such as `request.hints.agent`, if that is all there is.
pub(in crate::route::rules) fn path(expression: &IdedExpr) -> Option<Vec<&str>> {
    match &expression.expr {
        Expr::Ident(name) => Some(vec![name]),
        Expr::Select(select) if !select.test => extended(select),
        _ => None,
    }
}

pub(super) fn extended(select: &SelectExpr) -> Option<Vec<&str>> {
    let mut names = path(&select.operand)?;
    names.push(&select.field);
    Some(names)
}

/// Returns what a path such as `request.hints.agent` begins with.
pub(super) fn root(expression: &IdedExpr) -> &IdedExpr {
    match &expression.expr {
        Expr::Select(select) => root(&select.operand),
        _ => expression,
    }
}

/// Returns where something stands, in characters.
pub(in crate::route::rules) fn place(
    expression: &IdedExpr,
    source: &SourceInfo,
) -> Option<(usize, usize)> {
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

/// Returns what an expression is made of.
pub(super) fn parts(expression: &IdedExpr) -> Vec<&IdedExpr> {
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
