//! Calls to agents: one leg per binding, all over the same guarded HTTP transport.

mod events;
pub(crate) mod exchange;
mod grpc;
mod headers;
pub(crate) mod http;
pub(crate) mod jsonrpc;
mod rest;
mod said;

use async_trait::async_trait;
use gateway_core::ports::{AgentAnswer, AgentClient, AgentRequest, AttemptError};
use gateway_protocol::Binding;

use self::{exchange::Exchange, http::Http, rest::Habits};
use crate::guard::Clients;

pub(crate) use self::headers::{UnusableCredential, add_credential, retry_after};

/// Calls agents over HTTP, in the binding and version of the endpoint.
#[derive(Debug, Clone)]
pub struct HttpAgents {
    http: Http,
    habits: Habits,
}

impl HttpAgents {
    /// Creates the leg towards agents.
    #[must_use]
    pub fn new(clients: Clients) -> Self {
        Self {
            http: Http::new(clients),
            habits: Habits::default(),
        }
    }
}

#[async_trait]
impl AgentClient for HttpAgents {
    async fn send(&self, request: AgentRequest) -> Result<AgentAnswer, AttemptError> {
        let exchange = Exchange::with(&request.agent);
        match request.endpoint.binding {
            Binding::JsonRpc => jsonrpc::send(&self.http, &request, &exchange).await,
            Binding::HttpJson => {
                let http = (&self.http, &self.habits);
                rest::send(http, &request, &exchange).await
            }
            Binding::Grpc => grpc::send(&self.http, &request, &exchange).await,
        }
    }
}
