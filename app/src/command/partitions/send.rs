//! Sends a signed request about the partitions of a container to a running server.

use std::error::Error;

use engine::{Clock, ContainerLink, SystemClock};
use gateway::{AccountKey, sign_request};
use model::Json;
use reqwest::{Client, Method, Url};

use super::change::PartitionChange;
use crate::error::CommandError;

/// Characters of an error response that are printed.
const ERROR_CHARS_MAX: usize = 300;

/// Carries out a change on a server, if there is one, and returns its list of the partitions.
pub(super) async fn change_server(
    (endpoint, key): (&str, &str),
    container: &ContainerLink,
    change: Option<PartitionChange>,
) -> Result<Json, CommandError> {
    let action = || format!("requesting the partitions of {container} at {endpoint}");
    let failed = |error: reqwest::Error| {
        CommandError::new(action(), innermost(&error))
            .hint("Start a server with `planisphere serve`, or give its --endpoint")
    };
    let key = AccountKey::parse(key).map_err(|_| {
        CommandError::new(action(), "the account key is not base64").hint("Give the server's --key")
    })?;
    let mut url = Url::parse(endpoint).map_err(|error| {
        CommandError::new(action(), error.to_string()).hint("Give an address as http://host:8081/")
    })?;
    let (database, name) = (container.database.as_str(), container.container.as_str());
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.clear().extend(["_planisphere", "partitions", database, name]);
    }
    // Without a timeout: a split answers when everything is copied.
    let client = Client::builder().build().map_err(failed)?;
    let method = if change.is_some() { Method::POST } else { Method::GET };
    let signed = sign_request(&key, method.as_str(), url.path(), SystemClock.now().seconds().0);
    let mut request = client.request(method, url);
    for (name, value) in signed {
        request = request.header(name, value);
    }
    if let Some(change) = change {
        request = request.body(change.body().to_bytes());
    }
    let response = request.send().await.map_err(failed)?;
    let status = response.status();
    let body = response.bytes().await.map_err(failed)?;
    if !status.is_success() {
        let body: String = String::from_utf8_lossy(&body).chars().take(ERROR_CHARS_MAX).collect();
        let reason = format!("it answered {status}: {}", body.replace(['\r', '\n'], " "));
        return Err(CommandError::new(action(), reason)
            .hint("List the partitions first, and check the --key"));
    }
    Json::parse(&body).map_err(|error| {
        CommandError::new(action(), error.to_string()).hint("Is this a planisphere server?")
    })
}

/// The cause of an error: the outer errors only say that a request failed.
fn innermost(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
