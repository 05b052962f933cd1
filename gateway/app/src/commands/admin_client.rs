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

/// Deletes what is at a path of the admin API.
pub(super) async fn delete<T: DeserializeOwned>(
    admin: &Admin,
    path: &[&str],
) -> Result<T, CommandError> {
    send(admin, request(Method::DELETE, address(admin, path)?)?).await
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
    let failed = |error: reqwest::Error| CommandError::failed(failure(&admin.admin, &error));
    let response = request.send().await.map_err(failed)?;
    let status = response.status();
    let body = response.bytes().await.map_err(failed)?;
    read(status, &body).map_err(|problem| {
        CommandError::failed(match problem {
            Problem::Told(message) => message,
            Problem::Strange(what) => format!("{} {what}", admin.admin),
        })
    })
}

/// Says why there was no answer.
fn failure(address: &Url, error: &reqwest::Error) -> String {
    let cause = innermost(error);
    // First, since a connection that takes too long is a timeout as well.
    if error.is_connect() {
        format!(
            "no gateway answers at {address}: {cause}; start one with `a2a-gateway serve`, or name its admin listener with --admin"
        )
    } else if error.is_timeout() {
        let seconds = TIMEOUT.as_secs();
        format!("{address} did not answer within {seconds} s; see the log of the gateway there")
    } else {
        format!("{address} broke off its answer: {cause}; see the log of the gateway there")
    }
}

/// Why an answer is of no use.
#[derive(Debug, PartialEq, Eq)]
enum Problem {
    /// What the gateway says about it.
    Told(String),
    /// An answer that no admin listener of this release gives, to be read after its address.
    Strange(String),
}

fn read<T: DeserializeOwned>(status: StatusCode, body: &[u8]) -> Result<T, Problem> {
    let json: serde_json::Value = serde_json::from_slice(body).map_err(|_| {
        Problem::Strange(format!(
            "answered {status} without JSON, so it is no admin listener; name that with --admin"
        ))
    })?;
    if status == StatusCode::OK {
        return serde_json::from_value(json).map_err(|error| {
            Problem::Strange(format!(
                "answered what this program cannot read: {error}; use the program of the gateway's release"
            ))
        });
    }
    Err(match json["error"]["message"].as_str() {
        Some(message) => Problem::Told(message.to_owned()),
        None => Problem::Strange(format!(
            "answered {status} without a reason; name the admin listener with --admin"
        )),
    })
}

fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_are_of_no_use_are_told_apart() {
        let strange =
            |status: StatusCode, body: &str| match read::<Vec<u8>>(status, body.as_bytes()) {
                Err(Problem::Strange(text)) => text,
                other => panic!("{other:?}"),
            };
        assert!(
            strange(StatusCode::NOT_FOUND, "nothing is served here")
                .contains("404 Not Found without JSON")
        );
        assert!(strange(StatusCode::OK, "{}").contains("cannot read"));
        assert!(
            strange(StatusCode::BAD_GATEWAY, "{}").contains("502 Bad Gateway without a reason")
        );
        let told = r#"{"error":{"code":404,"message":"there is no agent `x`"}}"#;
        assert_eq!(
            read::<Vec<u8>>(StatusCode::NOT_FOUND, told.as_bytes()),
            Err(Problem::Told("there is no agent `x`".to_owned()))
        );
        assert_eq!(read::<Vec<u8>>(StatusCode::OK, b"[1]"), Ok(vec![1]));
    }
}
