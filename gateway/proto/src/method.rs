//! The methods of both services, found by gRPC path or by name, each with its two message types.

use std::fmt;
use std::sync::LazyLock;

use bytes::Bytes;
use prost_reflect::MethodDescriptor;
use serde_json::Value;

use crate::message::{Decoded, MessageType};
use crate::pool::pool;
use crate::{Invalid, Json};

static METHODS: LazyLock<Vec<Definition>> = LazyLock::new(|| {
    Service::ALL
        .into_iter()
        .flat_map(|service| {
            let descriptor = pool()
                .get_service_by_name(service.name())
                .expect("both services are compiled in");
            let methods: Vec<_> = descriptor.methods().collect();
            methods
                .into_iter()
                .map(move |method| Definition::new(service, &method))
        })
        .collect()
});

/// Names one of the two gRPC services; its package alone tells the protocol version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Service {
    /// A2A 1.0.
    V1,
    /// A2A 0.3.
    V03,
}

impl Service {
    /// Lists both services.
    pub const ALL: [Self; 2] = [Self::V1, Self::V03];

    /// Returns the full name, the first segment of a gRPC path.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1 => "lf.a2a.v1.A2AService",
            Self::V03 => "a2a.v1.A2AService",
        }
    }
}

impl fmt::Display for Service {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Refers to one method of a service and converts its messages.
///
/// JSON is ProtoJSON of the service's own version: the object shapes of 1.0, and of HTTP+JSON in 0.3. Reading accepts
/// what ProtoJSON allows (both spellings of names, enum numbers, URL-safe base64, `null` for absent) and skips members
/// and enum names it does not know; [`Method::strip_request`] and [`Method::strip_response`] name those.
#[derive(Clone, Copy)]
pub struct Method(&'static Definition);

struct Definition {
    service: Service,
    /// `/package.Service/Rpc`.
    path: String,
    rpc: String,
    server_streaming: bool,
    request: MessageType,
    response: MessageType,
}

impl Method {
    /// Finds a method by its gRPC path, such as `/lf.a2a.v1.A2AService/SendMessage`.
    pub fn of_path(path: &str) -> Option<Self> {
        Self::all().find(|method| method.path() == path)
    }

    /// Finds a method by its name, such as `SendMessage`.
    pub fn of(service: Service, rpc: &str) -> Option<Self> {
        Self::all().find(|method| method.service() == service && method.rpc() == rpc)
    }

    /// Lists the methods of both services.
    pub fn all() -> impl Iterator<Item = Self> {
        METHODS.iter().map(Self)
    }

    /// Returns the gRPC path.
    pub fn path(self) -> &'static str {
        &self.0.path
    }

    /// Returns the name without the service.
    pub fn rpc(self) -> &'static str {
        &self.0.rpc
    }

    /// Returns the service it belongs to.
    pub fn service(self) -> Service {
        self.0.service
    }

    /// Tells whether the answer is a stream of messages.
    pub fn server_streaming(self) -> bool {
        self.0.server_streaming
    }

    /// Encodes a request.
    ///
    /// # Errors
    /// Text that is not JSON, and members whose value does not fit their field.
    pub fn request_from_json<'a>(self, json: impl Into<Json<'a>>) -> Result<Bytes, Invalid> {
        self.0.request.encode(json.into())
    }

    /// Decodes a request.
    ///
    /// # Errors
    /// Bytes that are not the request's message, nested too deeply, or without a JSON form (a number that is not
    /// finite, a timestamp outside the years 1 to 9999).
    pub fn request_to_json(self, bytes: &[u8]) -> Result<Decoded, Invalid> {
        self.0.request.decode(bytes)
    }

    /// Encodes a response, or one event of a stream; an empty response may be given as any JSON.
    ///
    /// # Errors
    /// As for [`Method::request_from_json`].
    pub fn response_from_json<'a>(self, json: impl Into<Json<'a>>) -> Result<Bytes, Invalid> {
        self.0.response.encode(json.into())
    }

    /// Decodes a response, or one event of a stream; an empty response is `{}`.
    ///
    /// # Errors
    /// As for [`Method::request_to_json`].
    pub fn response_to_json(self, bytes: &[u8]) -> Result<Decoded, Invalid> {
        self.0.response.decode(bytes)
    }

    /// Takes members and enum names that protobuf has no place for out of a request, and lists their paths.
    pub fn strip_request(self, request: &mut Value) -> Vec<String> {
        self.0.request.strip(request)
    }

    /// Takes members and enum names that protobuf has no place for out of a response, and lists their paths.
    pub fn strip_response(self, response: &mut Value) -> Vec<String> {
        self.0.response.strip(response)
    }
}

impl PartialEq for Method {
    fn eq(&self, other: &Self) -> bool {
        self.path() == other.path()
    }
}

impl Eq for Method {}

impl fmt::Debug for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Method").field(&self.path()).finish()
    }
}

impl Definition {
    fn new(service: Service, method: &MethodDescriptor) -> Self {
        Self {
            service,
            path: format!("/{}/{}", service.name(), method.name()),
            rpc: method.name().to_owned(),
            server_streaming: method.is_server_streaming(),
            request: MessageType::new(method.input()),
            response: MessageType::new(method.output()),
        }
    }
}

#[cfg(test)]
mod tests;
