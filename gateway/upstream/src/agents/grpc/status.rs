//! The status that ends a call, out of headers or trailers.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use gateway_proto::read_status_details;
use gateway_protocol::{
    ErrorKind, Operation,
    rest::{
        self,
        status::{GrpcCode, kind_of_type_name},
    },
    view::ErrorView,
};
use http::HeaderMap;
use serde_json::{Value, json, value::RawValue};

const CODE: &str = "grpc-status";
const MESSAGE: &str = "grpc-message";
const DETAILS: &str = "grpc-status-details-bin";

/// Metadata is written without padding and read with and without it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// How a call ended.
#[derive(Debug, Clone)]
pub(super) struct Status {
    code: GrpcCode,
    message: String,
    details: Vec<Value>,
}

impl Status {
    /// Reads the status, if there is one. A code that gRPC does not define counts as unknown, and details that
    /// cannot be read as none.
    pub(super) fn read(headers: &HeaderMap) -> Option<Self> {
        let code = headers.get(CODE)?.to_str().ok();
        let code = code.and_then(|code| code.parse().ok());
        let message = headers.get(MESSAGE).map(|message| message.as_bytes());
        let details = headers
            .get(DETAILS)
            .and_then(|details| BASE64.decode(details.as_bytes()).ok())
            .and_then(|details| read_status_details(&details).ok());
        Some(Self {
            code: code
                .and_then(GrpcCode::from_number)
                .unwrap_or(GrpcCode::Unknown),
            message: percent_decoded(message.unwrap_or_default()),
            details: details.map(|details| details.details).unwrap_or_default(),
        })
    }

    pub(super) fn code(&self) -> GrpcCode {
        self.code
    }

    pub(super) fn is_success(&self) -> bool {
        self.code == GrpcCode::Ok
    }

    /// Returns the JSON-RPC error object that says the same; absent where the code is about the gateway's
    /// credential, its haste or the load of the agent, and no error of the protocol.
    pub(super) fn told(&self, operation: Operation) -> Option<Box<RawValue>> {
        let about_gateway = matches!(
            self.code,
            GrpcCode::Unauthenticated
                | GrpcCode::PermissionDenied
                | GrpcCode::Unavailable
                | GrpcCode::ResourceExhausted
                | GrpcCode::DeadlineExceeded
        );
        let error = self.error(operation);
        let kind = ErrorView::read(&error).kind();
        (!about_gateway || kind.is_some_and(ErrorKind::is_a2a)).then_some(error)
    }

    /// Reads the status as REST reads its error bodies, which are the same message in JSON. The class name that
    /// agents of 0.3 put in front of the message says which error it is, and is no part of it.
    fn error(&self, operation: Operation) -> Box<RawValue> {
        let code = self.code.name();
        let named = self.message.split_once(':');
        let named = named.filter(|(name, _)| kind_of_type_name(name).is_some());
        let (name, message) = match (named, self.message.as_str()) {
            (Some((name, message)), _) => (Some(name), message.trim_start().to_owned()),
            (None, "") => (
                None,
                format!("the agent answered gRPC {code} without a message"),
            ),
            (None, message) => (None, message.to_owned()),
        };
        let mut error = json!({ "status": code, "message": message, "details": self.details });
        if let Some(name) = name {
            error["type"] = name.into();
        }
        let body = json!({ "error": error }).to_string();
        rest::error_from(operation, 500, body.as_bytes()).object
    }
}

/// Decodes a message; what is no UTF-8 then is replaced.
fn percent_decoded(text: &[u8]) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        let escaped = match (first, after) {
            (b'%', [high, low, ..]) => byte(*high, *low),
            _ => None,
        };
        decoded.push(escaped.unwrap_or(first));
        rest = match escaped {
            Some(_) => after.get(2..).unwrap_or_default(),
            None => after,
        };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn byte(high: u8, low: u8) -> Option<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn read(fields: &[(&'static str, &str)]) -> Option<Status> {
        let fields = fields.iter().map(|(name, value)| {
            (
                http::HeaderName::from_static(name),
                HeaderValue::from_str(value).unwrap(),
            )
        });
        Status::read(&fields.collect())
    }

    #[test]
    fn messages_are_decoded_as_far_as_they_are_encoded() {
        for (encoded, message) in [
            ("no such task", "no such task"),
            ("a%20b%C3%A9", "a b\u{e9}"),
            ("100%", "100%"),
            ("%zz%4", "%zz%4"),
            ("%FF", "\u{fffd}"),
        ] {
            let status = read(&[("grpc-status", "5"), ("grpc-message", encoded)]).unwrap();
            assert_eq!(status.message, message, "{encoded}");
        }
    }

    #[test]
    fn a_class_name_is_told_apart_from_the_message() {
        for (sent, code, message) in [
            ("TaskNotFoundError: gone", -32001, "gone"),
            ("TaskNotFoundError:", -32001, ""),
            ("Unexpected: gone", -32603, "Unexpected: gone"),
            (
                "",
                -32603,
                "the agent answered gRPC INTERNAL without a message",
            ),
        ] {
            let status = read(&[("grpc-status", "13"), ("grpc-message", sent)]).unwrap();
            let error = status.told(Operation::GetTask).unwrap();
            let error: Value = serde_json::from_str(error.get()).unwrap();
            assert_eq!(error, json!({"code": code, "message": message}), "{sent}");
        }
    }

    #[test]
    fn hostile_fields_are_read_as_far_as_they_go() {
        assert!(read(&[]).is_none());
        for code in ["x", "99", "-1", ""] {
            assert_eq!(
                read(&[("grpc-status", code)]).unwrap().code,
                GrpcCode::Unknown
            );
        }
        for details in ["%%%", "////", ""] {
            let status = read(&[("grpc-status", "5"), ("grpc-status-details-bin", details)]);
            assert!(status.unwrap().details.is_empty(), "{details}");
        }
    }
}
