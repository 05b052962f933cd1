//! What an agent's error says, for records and metrics; the error itself is passed on raw.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::ErrorKind;
use crate::error::ERROR_INFO;
use crate::json::Cursor;

/// Shows an error object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorView<'a> {
    /// The code, when it is an integer.
    pub code: Option<i64>,
    /// The message; it is the agent's text and may hold anything.
    pub message: Option<Cow<'a, str>>,
    /// The reason of the first `ErrorInfo`.
    pub reason: Option<Cow<'a, str>>,
}

impl<'a> ErrorView<'a> {
    /// Reads an error object.
    pub fn read(error: &'a RawValue) -> Self {
        let mut view = Self::default();
        let mut cursor = Cursor::new(error.get());
        if cursor.enter_object() {
            while let Some(name) = cursor.next_member() {
                match &*name {
                    "code" => view.code = cursor.value().text.parse().ok(),
                    "message" => view.message = cursor.value().readable(),
                    "data" => view.read_data(&mut cursor),
                    _ => cursor.skip(),
                }
            }
        }
        view
    }

    /// Returns the kind that the code stands for.
    pub fn kind(&self) -> Option<ErrorKind> {
        self.code.and_then(ErrorKind::from_code)
    }

    fn read_data(&mut self, cursor: &mut Cursor<'a>) {
        if !cursor.enter_array() {
            return;
        }
        while cursor.next_element() {
            let (mut is_info, mut reason) = (false, None);
            if cursor.enter_object() {
                while let Some(name) = cursor.next_member() {
                    let value = cursor.value().string();
                    match &*name {
                        "@type" => is_info = value.as_deref() == Some(ERROR_INFO),
                        "reason" => reason = value,
                        _ => {}
                    }
                }
            }
            if is_info && self.reason.is_none() {
                self.reason = reason;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_message_and_reason_are_read() {
        let text = r#"{"code":-32001,"message":"gone","data":[{"reason":"no","@type":"x"},
            {"reason":"TASK_NOT_FOUND","@type":"type.googleapis.com/google.rpc.ErrorInfo"}]}"#;
        let raw: &RawValue = serde_json::from_str(text).unwrap();
        let view = ErrorView::read(raw);
        assert_eq!(view.kind(), Some(ErrorKind::TaskNotFound));
        assert_eq!(view.message.unwrap(), "gone");
        assert_eq!(view.reason.unwrap(), "TASK_NOT_FOUND");
    }

    #[test]
    fn odd_errors_are_read_as_far_as_they_go() {
        let raw: &RawValue =
            serde_json::from_str(r#"{"code":"x","message":1,"data":"free"}"#).unwrap();
        assert_eq!(ErrorView::read(raw), ErrorView::default());
    }
}
