//! The HTTP+JSON binding of both versions: where the parameters of an operation travel, and how errors look.
//!
//! Path, query and body are brought together into one parameters object and taken apart again. The object is the
//! request message of the version's protobuf in its JSON form, [`crate::translate::Dialect::V1`] or
//! [`crate::translate::Dialect::V03Proto`]; converting between the two is not done here. For listing tasks, which that
//! protobuf of 0.3 lacks, both versions have the object of 1.0.

mod answer;
mod body;
mod error;
mod percent;
mod query;
mod request;
mod route;
pub mod status;

pub use answer::{Answer, read_answer, result_body, stream_error};
pub use error::{AnsweredError, error_body, error_body_as, error_from, error_to};
pub use request::{HttpRequest, request};
pub use route::{Route, RouteError};

use crate::{Operation, Version};

/// The content type of requests. Servers of both versions take it, and early ones of 1.0 no other.
pub const REQUEST_CONTENT_TYPE: &str = "application/json";

/// Returns the content type of answers, errors included, that are no event streams (A2A §11.1).
pub const fn response_content_type(version: Version) -> &'static str {
    match version {
        Version::V1 => "application/a2a+json",
        Version::V03 => "application/json",
    }
}

/// Returns the `Accept` header of requests.
pub const fn accept(version: Version, operation: Operation) -> &'static str {
    match (operation.is_streaming(), version) {
        (true, _) => "text/event-stream",
        (false, Version::V1) => "application/a2a+json, application/json",
        (false, Version::V03) => "application/json",
    }
}

/// Tells whether a body of this content type may hold JSON; a missing one may.
pub fn is_json(content_type: Option<&str>) -> bool {
    let media_type = content_type.and_then(|text| text.split(';').next());
    media_type.is_none_or(|media_type| {
        let media_type = media_type.trim();
        ["", REQUEST_CONTENT_TYPE, "application/a2a+json"]
            .iter()
            .any(|known| media_type.eq_ignore_ascii_case(known))
    })
}

#[cfg(test)]
mod tests;
