//! Calls to the webhooks of clients, which name their address themselves: stricter than calls to agents, which the
//! operator registered.

use std::{io, net::IpAddr, sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use gateway_core::{
    ports::{Delivery, WebhookClient, WebhookError},
    push::{AllowList, RefusedTarget},
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use reqwest::Client;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::timeout;
use url::{Host, Url};

use crate::{
    agents::retry_after,
    failure::Failure,
    guard::{self, Clients, Lookup},
};

const NOTIFICATION_TOKEN: HeaderName = HeaderName::from_static("x-a2a-notification-token");
/// To open a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a registration waits for the look-up of a name.
const LOOK_UP: Duration = Duration::from_secs(2);

/// Calls webhooks over HTTP. Follows no redirect and connects only where the allow-list and the rules for public
/// addresses permit, with the addresses that were checked.
#[derive(Debug)]
pub struct HttpWebhooks {
    allow: AllowList,
    lookup: Resolver,
    /// For webhooks that the operator allowed by name.
    named: Clients,
    /// For all others: names resolve to permitted addresses only.
    strict: Clients,
}

/// The look-up of names before any request.
struct Resolver(Lookup);

impl std::fmt::Debug for Resolver {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Resolver(..)")
    }
}

impl HttpWebhooks {
    /// Creates the way to webhooks.
    #[must_use]
    pub fn new(allow: AllowList) -> Self {
        Self::with(allow, guard::system())
    }

    fn with(allow: AllowList, lookup: Lookup) -> Self {
        let strict = strict(allow.clone(), Arc::clone(&lookup));
        Self {
            allow,
            named: Clients::with(Arc::clone(&lookup), None),
            strict: Clients::with(strict, None),
            lookup: Resolver(lookup),
        }
    }

    fn client(&self, url: &Url) -> Result<Client, WebhookError> {
        let clients = if self.allow.names(url) {
            &self.named
        } else {
            &self.strict
        };
        clients
            .client(CONNECT)
            .map_err(|error| failed(format!("the gateway cannot set up TLS: {error}")))
    }

    /// Looks a name up; `None` where that says nothing now.
    async fn resolve(&self, url: &Url) -> Option<Vec<IpAddr>> {
        let Some(Host::Domain(name)) = url.host() else {
            return None;
        };
        let found = timeout(LOOK_UP, (self.lookup.0)(name.to_owned())).await;
        found.ok()?.ok()
    }
}

#[async_trait]
impl WebhookClient for HttpWebhooks {
    async fn check(&self, url: &Url) -> Result<(), WebhookError> {
        let refused = |refused: &dyn std::fmt::Display| WebhookError::Refused(refused.to_string());
        self.allow.check(url).map_err(|error| refused(&error))?;
        guard::check(url).map_err(|error| refused(&error))?;
        if self.allow.names(url) {
            return Ok(());
        }
        match self.resolve(url).await {
            Some(found)
                if !found.is_empty() && !found.iter().any(|one| self.allow.permits(*one)) =>
            {
                Err(refused(&RefusedTarget::Private))
            }
            _ => Ok(()),
        }
    }

    async fn deliver(&self, delivery: Delivery) -> Result<(), WebhookError> {
        self.check(&delivery.url).await?;
        let request = self
            .client(&delivery.url)?
            .post(delivery.url.clone())
            .headers(headers(&delivery))
            .body(delivery.body);
        let limit = delivery.timeout;
        let response = timeout(limit, request.send())
            .await
            .map_err(|_| failed(format!("no answer within {limit:?}")))?
            .map_err(|error| failed(Failure::of(&error).words().to_owned()))?;
        let status = response.status();
        match status {
            _ if status.is_success() => Ok(()),
            StatusCode::GONE => Err(WebhookError::Gone),
            _ => Err(WebhookError::Failed {
                detail: format!("the webhook answered {}", status.as_u16()),
                retry_after: retry_after(response.headers()),
            }),
        }
    }
}

/// Leaves out the addresses where no webhook may be, at the moment of connecting: what a name resolved to before
/// does not count.
fn strict(allow: AllowList, lookup: Lookup) -> Lookup {
    Arc::new(move |name| {
        let (found, allow) = (lookup(name), allow.clone());
        async move {
            let mut addresses = found.await?;
            let before = addresses.len();
            addresses.retain(|address| allow.permits(*address));
            if addresses.is_empty() && before > 0 {
                return Err(io::Error::other(RefusedTarget::Private));
            }
            Ok(addresses)
        }
        .boxed()
    })
}

fn headers(delivery: &Delivery) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let content_type = HeaderValue::from_static(delivery.content_type);
    headers.insert(header::CONTENT_TYPE, content_type);
    insert(
        &mut headers,
        header::AUTHORIZATION,
        delivery.authorization.as_ref(),
    );
    insert(&mut headers, NOTIFICATION_TOKEN, delivery.token.as_ref());
    headers
}

/// Registration refuses what is no header value, so that nothing is left out here.
fn insert(headers: &mut HeaderMap, name: HeaderName, secret: Option<&SecretString>) {
    let value = secret.and_then(|secret| HeaderValue::from_str(secret.expose_secret()).ok());
    if let Some(mut value) = value {
        value.set_sensitive(true);
        headers.insert(name, value);
    }
}

fn failed(detail: String) -> WebhookError {
    WebhookError::Failed {
        detail,
        retry_after: None,
    }
}

#[cfg(test)]
mod tests;
