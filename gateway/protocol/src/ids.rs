//! Task and context ids inside raw JSON, exchanged by splicing so that every other byte stays the same.
//!
//! Where ids live is one table (`places`); ids inside text, parts, artifacts and metadata are content, not
//! structure, and are never touched. An id that is `null`, empty or not a string counts as absent and stays;
//! [`crate::check_params`] refuses the last in requests. A repeated member is exchanged each time, so that no
//! reader of the outgoing JSON can come upon the original.

mod places;
mod rewrite;

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::Operation;
use crate::error::ERROR_INFO;
use crate::json::{Cursor, Raw, is_named};
use crate::shape::{Shape, shape_of};
use crate::translate::Dialect;
use rewrite::Rewriter;

/// Says what an id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IdKind {
    /// A task.
    Task,
    /// A context, which groups tasks and messages.
    Context,
}

/// Decides about one id: `None` keeps it as it is, `Some` takes its place.
pub type Exchange<'f, E> = dyn FnMut(IdKind, &str) -> Result<Option<String>, E> + 'f;

/// Exchanges the ids in the parameters of a request; fails only when `exchange` does.
pub fn rewrite_params<'a, E>(
    operation: Operation,
    dialect: Dialect,
    params: &'a RawValue,
    exchange: &mut Exchange<'_, E>,
) -> Result<Cow<'a, [u8]>, E> {
    let mut rewriter = Rewriter::new(params.get(), exchange);
    rewriter.object(
        &mut Cursor::new(params.get()),
        places::of_params(operation, dialect),
    )?;
    Ok(rewriter.finish())
}

/// Exchanges the ids in a result or in the result of a stream event; fails only when `exchange` does.
pub fn rewrite_result<'a, E>(
    operation: Operation,
    dialect: Dialect,
    result: &'a RawValue,
    exchange: &mut Exchange<'_, E>,
) -> Result<Cow<'a, [u8]>, E> {
    let text = result.get();
    let mut rewriter = Rewriter::new(text, exchange);
    let mut cursor = Cursor::new(text);
    match operation {
        Operation::SendMessage
        | Operation::SendStreamingMessage
        | Operation::GetTask
        | Operation::CancelTask
        | Operation::SubscribeToTask => {
            let members = match shape_of(dialect, text) {
                Shape::Bare(form) => places::of_form(form),
                Shape::Wrapped(..) => places::WRAPPER,
                Shape::Other => places::EVENT,
            };
            rewriter.object(&mut cursor, members)?;
        }
        Operation::ListTasks => rewriter.object(&mut cursor, places::TASK_LIST)?,
        Operation::CreateTaskPushNotificationConfig | Operation::GetTaskPushNotificationConfig => {
            rewriter.object(&mut cursor, places::push_config(dialect))?;
        }
        // 0.3 over JSON-RPC lists without an object around it.
        Operation::ListTaskPushNotificationConfigs if dialect == Dialect::V03 => {
            rewriter.objects(&mut cursor, places::push_config(dialect))?;
        }
        Operation::ListTaskPushNotificationConfigs => {
            rewriter.object(&mut cursor, places::push_config_list(dialect))?;
        }
        Operation::DeleteTaskPushNotificationConfig | Operation::GetExtendedAgentCard => {}
    }
    Ok(rewriter.finish())
}

/// Exchanges the ids in the `ErrorInfo` entries of an error object's `data`; fails only when `exchange` does.
///
/// Other entries and the message are free text and stay.
pub fn rewrite_error<'a, E>(
    error: &'a RawValue,
    exchange: &mut Exchange<'_, E>,
) -> Result<Cow<'a, [u8]>, E> {
    let mut rewriter = Rewriter::new(error.get(), exchange);
    let mut cursor = Cursor::new(error.get());
    if cursor.enter_object() {
        while let Some(name) = cursor.next_member() {
            if name != "data" {
                cursor.skip();
            } else if cursor.enter_array() {
                while cursor.next_element() {
                    let members = if is_error_info(&mut cursor.clone()) {
                        places::ERROR_INFO
                    } else {
                        &[]
                    };
                    rewriter.object(&mut cursor, members)?;
                }
            }
        }
    }
    Ok(rewriter.finish())
}

/// Returns the task id that the parameters of a task operation are about; for a sent message that is the task
/// it continues.
pub fn task_id<'a>(
    operation: Operation,
    dialect: Dialect,
    params: &'a RawValue,
) -> Option<Cow<'a, str>> {
    let task = places::task_of_params(operation, dialect);
    let value = task.paths.iter().find_map(|path| at(path, params))?;
    let text = value.string()?;
    let span = task.form.id_within(&text)?;
    Some(match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(span)?),
        Cow::Owned(text) => Cow::Owned(text.get(span)?.to_owned()),
    })
}

fn at<'a>(path: &[&str], params: &'a RawValue) -> Option<Raw<'a>> {
    let mut cursor = Cursor::new(params.get());
    let mut found = None;
    for name in path {
        let value = member(&mut cursor, name)?;
        found = Some(value);
        cursor = value.cursor();
    }
    found
}

fn member<'a>(cursor: &mut Cursor<'a>, wanted: &str) -> Option<Raw<'a>> {
    let mut found = None;
    if cursor.enter_object() {
        while let Some(name) = cursor.next_member() {
            let value = cursor.value();
            if is_named(&name, wanted) {
                found = Some(value);
            }
        }
    }
    found
}

fn is_error_info(cursor: &mut Cursor<'_>) -> bool {
    member(cursor, "@type")
        .and_then(|name| name.string())
        .as_deref()
        == Some(ERROR_INFO)
}

#[cfg(test)]
mod tests;
