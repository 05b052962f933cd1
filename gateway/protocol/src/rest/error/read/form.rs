//! The forms of an error object: `google.rpc.Status`, JSON-RPC, the flat one of 0.3 and problem details (RFC 9457).

use std::borrow::Cow;

use crate::ErrorKind;
use crate::json::{Cursor, Kind, Raw};
use crate::rest::status::{GrpcCode, kind_of_reason, kind_of_type_name};

/// Is what an error object says, under whichever names.
#[derive(Debug, Default)]
pub(super) struct Form<'a> {
    pub(super) code: Option<i64>,
    /// The code that `status` names.
    pub(super) grpc: Option<GrpcCode>,
    /// A JSON string.
    pub(super) message: Option<Raw<'a>>,
    /// Class name of a Python error, or the URI of problem details.
    pub(super) type_name: Option<Cow<'a, str>>,
    pub(super) details: Option<Raw<'a>>,
    has_message: bool,
    is_problem: bool,
}

impl<'a> Form<'a> {
    pub(super) fn read(text: &'a str) -> Self {
        let mut form = Self::default();
        let mut other_message = None;
        let mut cursor = Cursor::new(text.strip_prefix('\u{FEFF}').unwrap_or(text));
        if !cursor.enter_object() {
            return form;
        }
        while let Some(name) = cursor.next_member() {
            let value = cursor.value();
            let is_string = value.kind() == Some(Kind::String);
            match &*name {
                "code" => form.code = value.text.parse().ok(),
                "message" if is_string => form.message = Some(value),
                "details" | "data" => form.details = value.present().or(form.details),
                "status" => {
                    form.grpc = value.string().and_then(|name| GrpcCode::from_name(&name));
                }
                "type" => form.type_name = value.string(),
                "detail" if is_string => other_message = Some(value),
                "title" if is_string => {
                    form.is_problem = true;
                    other_message = other_message.or(Some(value));
                }
                _ => {}
            }
        }
        form.details = form.details.filter(|details| !is_empty_array(*details));
        form.has_message = form.message.is_some();
        form.message = form.message.or(other_message);
        form
    }

    /// Returns the code where it is the HTTP status, which an event of a stream has no other place for.
    pub(super) fn http(&self) -> Option<u16> {
        let status = self.code.and_then(|code| u16::try_from(code).ok());
        status.filter(|status| (400..600).contains(status))
    }

    /// Tells whether the object is an error at all, rather than what a framework says about an unknown route.
    pub(super) fn is_error(&self) -> bool {
        let names_kind = self.type_name.as_deref().and_then(kind_of_type).is_some();
        self.has_message || self.is_problem || names_kind
    }
}

fn is_empty_array(value: Raw<'_>) -> bool {
    value.kind() == Some(Kind::Array) && {
        let mut cursor = value.cursor();
        cursor.enter_array();
        !cursor.next_element()
    }
}

/// Finds the kind of a `type`: a class name, or a URI that ends in the reason, `…/errors/task-not-found`.
pub(super) fn kind_of_type(type_name: &str) -> Option<ErrorKind> {
    kind_of_type_name(type_name).or_else(|| {
        let (_, last) = type_name
            .trim_end_matches('/')
            .rsplit_once(['/', ':', '#'])?;
        let reason = last.replace('-', "_").to_ascii_uppercase();
        kind_of_reason(reason.strip_suffix("_ERROR").unwrap_or(&reason))
    })
}
