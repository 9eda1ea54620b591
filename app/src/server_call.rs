//! Signed requests to a running server, over HTTP or HTTPS.
//!
//! For the routes of ours that no client library knows. Items go through `client`.

use std::error::Error;
use std::time::Duration;

use engine::{Clock, SystemClock};
use gateway::{AccountKey, sign_request};
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, Response};

use crate::error::CommandError;

/// How long a connection may take. An answer may take longer: a restore works before it answers.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Characters of an error response that are printed.
const ERROR_CHARS_MAX: usize = 300;

/// A server and its key.
#[derive(Debug)]
pub(crate) struct ServerCall<'a> {
    pub(crate) endpoint: &'a str,
    pub(crate) key: &'a AccountKey,
}

impl ServerCall<'_> {
    /// Sends a request and returns the body of a success. `action` names it in errors.
    pub(crate) async fn send(
        &self,
        action: &str,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> Result<Vec<u8>, CommandError> {
        Ok(self.send_with(action, method, path, &[], body).await?.1)
    }

    /// The same with more headers; also returns those of the answer.
    pub(crate) async fn send_with(
        &self,
        action: &str,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Result<(HeaderMap, Vec<u8>), CommandError> {
        let endpoint = self.endpoint;
        let action = || format!("{action} {endpoint}");
        let failed = |error: reqwest::Error| {
            CommandError::new(action(), innermost(&error))
                .hint("Start a server with `planisphere serve`, or give its --endpoint")
        };
        let client = Client::builder().connect_timeout(CONNECT_TIMEOUT).build().map_err(failed)?;
        let url = format!("{}{path}", endpoint.trim_end_matches('/'));
        let mut request = client.request(method.clone(), url).body(body);
        let now = SystemClock.now().seconds().0;
        for (name, value) in sign_request(self.key, method.as_str(), path, now) {
            request = request.header(name, value);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.map_err(failed)?;
        if response.status().is_success() {
            let headers = response.headers().clone();
            return Ok((headers, response.bytes().await.map_err(failed)?.into()));
        }
        // Other errors are those of the request, and say themselves what to do.
        let is_other_account = matches!(response.status().as_u16(), 401 | 403 | 404);
        let error = CommandError::new(action(), describe(response).await);
        Err(match is_other_account {
            true => {
                error.hint("Give the server's --key, and check that it is a planisphere server")
            }
            false => error,
        })
    }
}

/// The status and the beginning of the body of an error response.
async fn describe(response: Response) -> String {
    let status = response.status();
    let body = response.text().await.unwrap_or_default();
    let body: String = body.chars().take(ERROR_CHARS_MAX).collect();
    format!("it answered {status}: {body}")
}

/// The cause of an error: the outer errors only say that a request failed.
fn innermost(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    async fn fetch(endpoint: &str, key: &AccountKey) -> Result<Vec<u8>, CommandError> {
        let call = ServerCall { endpoint, key };
        call.send("requesting the usage of", Method::GET, "/_planisphere/usage", Vec::new()).await
    }

    /// Answers one request with these bytes and returns the endpoint.
    async fn serve(response: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                request.push(stream.read_u8().await.unwrap());
            }
            stream.write_all(response.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        });
        format!("http://{address}/")
    }

    #[tokio::test]
    async fn a_chunked_body_is_put_together() {
        let response = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\
                        4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n";
        let endpoint = serve(response).await;
        assert_eq!(fetch(&endpoint, &AccountKey::emulator()).await.unwrap(), b"{\"a\":1}");
    }

    #[tokio::test]
    async fn an_error_response_is_reported_with_its_status() {
        let endpoint = serve("HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno").await;
        let error = fetch(&endpoint, &AccountKey::emulator()).await.unwrap_err().to_string();
        assert!(error.contains("it answered 401 Unauthorized: no"), "{error}");
    }
}
