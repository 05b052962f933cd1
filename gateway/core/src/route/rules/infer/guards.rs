//! Guards: which members are known to be there, since `has()` was asked beside.

use cel::{
    IdedExpr,
    common::ast::{CallExpr, Expr, operators},
};

use super::tree::extended;

/// Returns the paths that are there whenever the value of this argument matters. An error on one side of `&&` or `||`
/// does not matter where the other side decides alone.
pub(super) fn beside(call: &CallExpr, place: usize) -> Vec<String> {
    match (call.func_name.as_str(), call.args.as_slice(), place) {
        (operators::LOGICAL_AND, [_, other], 0) | (operators::LOGICAL_AND, [other, _], 1) => {
            there_if(other, true)
        }
        (operators::LOGICAL_OR, [_, other], 0) | (operators::LOGICAL_OR, [other, _], 1) => {
            there_if(other, false)
        }
        (operators::CONDITIONAL, [condition, _, _], 1) => there_if(condition, true),
        (operators::CONDITIONAL, [condition, _, _], 2) => there_if(condition, false),
        _ => Vec::new(),
    }
}

/// Returns the paths that are there if the expression has this value.
fn there_if(expression: &IdedExpr, value: bool) -> Vec<String> {
    match &expression.expr {
        Expr::Select(select) if select.test && value => {
            let names = extended(select).map(|names| names.join("."));
            names.into_iter().collect()
        }
        Expr::Call(call) => match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::LOGICAL_NOT, [inner]) => there_if(inner, !value),
            (operators::LOGICAL_AND, parts) if value => all_there(parts, value),
            (operators::LOGICAL_OR, parts) if !value => all_there(parts, value),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn all_there(parts: &[IdedExpr], value: bool) -> Vec<String> {
    parts
        .iter()
        .flat_map(|part| there_if(part, value))
        .collect()
}
