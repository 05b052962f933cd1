//! Asks the admin listener of a running gateway.

use std::time::Duration;

use gateway_upstream::guard::Clients;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde::{Serialize, de::DeserializeOwned};
use url::Url;

use crate::command::{Admin, CommandError};

const CONNECT: Duration = Duration::from_secs(3);
const TIMEOUT: Duration = Duration::from_secs(30);

/// Gets what is at a path of the admin API.
pub(super) async fn get<T: DeserializeOwned>(
    admin: &Admin,
    path: &[&str],
    query: &[(&str, String)],
) -> Result<T, CommandError> {
    let mut url = address(admin, path)?;
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    send(admin, request(Method::GET, url)?).await
}

/// Posts a request to a path of the admin API.
pub(super) async fn post<T: DeserializeOwned>(
    admin: &Admin,
    path: &[&str],
    body: &impl Serialize,
) -> Result<T, CommandError> {
    send(
        admin,
        request(Method::POST, address(admin, path)?)?.json(body),
    )
    .await
}

fn address(admin: &Admin, path: &[&str]) -> Result<Url, CommandError> {
    let mut url = admin.admin.clone();
    url.path_segments_mut()
        .map_err(|()| {
            CommandError::failed(format!(
                "`{}` is no address of an admin listener",
                admin.admin
            ))
        })?
        .pop_if_empty()
        .extend(path);
    Ok(url)
}

fn request(method: Method, url: Url) -> Result<RequestBuilder, CommandError> {
    let client = Clients::new()
        .client(CONNECT)
        .map_err(CommandError::failed)?;
    Ok(client.request(method, url).timeout(TIMEOUT))
}

async fn send<T: DeserializeOwned>(
    admin: &Admin,
    request: RequestBuilder,
) -> Result<T, CommandError> {
    let unreachable = |error: reqwest::Error| {
        CommandError::failed(format!(
            "no gateway answers at {}: {}; start one with `a2a-gateway serve`, or name its admin listener with --admin",
            admin.admin,
            innermost(&error)
        ))
    };
    let response = request.send().await.map_err(unreachable)?;
    let status = response.status();
    let body: serde_json::Value = response.json().await.map_err(unreachable)?;
    if status == StatusCode::OK {
        return serde_json::from_value(body).map_err(|error| {
            CommandError::failed(format!(
                "the gateway at {} answered something else: {error}",
                admin.admin
            ))
        });
    }
    let message = body["error"]["message"]
        .as_str()
        .unwrap_or("the gateway gave no reason");
    Err(CommandError::failed(message))
}

fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
