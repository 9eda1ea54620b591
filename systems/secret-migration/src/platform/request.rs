//! Requests to platforms: certificates, time limits, and a limit of requests per second.

use std::time::Duration;

use client::Environment;

use super::answer::PlatformAnswer;
use super::error::PlatformError;
use crate::error::{Error, Result};
use crate::pace::Pace;

/// A connection to a platform over HTTP.
pub(crate) struct PlatformHttp {
    http: reqwest::Client,
    environment: Environment,
    pace: Pace,
}

impl PlatformHttp {
    /// `group` is the settings group, for errors.
    ///
    /// # Errors
    /// `Invalid` for an address or a certificate file that cannot be used.
    pub(crate) fn open(
        group: &str,
        address: &str,
        ca_file: &str,
        timeout_seconds: u64,
        requests_per_second: u32,
        environment: Environment,
    ) -> Result<Self> {
        if !["http://", "https://"].iter().any(|start| address.starts_with(start)) {
            let message = format!("{group}:Address: '{address}' is no http or https address");
            return Err(Error::invalid(message));
        }
        let timeout = Duration::from_secs(timeout_seconds.max(1));
        // Straight to the platform: a proxy that the environment names must not see requests with tokens.
        // Each connection serves one request: the buffers of one that waits for the next would keep the last values.
        let http = reqwest::Client::builder().timeout(timeout).no_proxy();
        let mut http = http.pool_max_idle_per_host(0);
        if !ca_file.is_empty() {
            let wrong = |why: String| Error::invalid(format!("{group}:CaFile {ca_file}: {why}"));
            let pem = std::fs::read(ca_file).map_err(|error| wrong(error.to_string()))?;
            let trusted = reqwest::Certificate::from_pem_bundle(&pem);
            let trusted = trusted.map_err(|error| wrong(error.to_string()))?;
            if trusted.is_empty() {
                return Err(wrong("no certificate in it".to_owned()));
            }
            http = http.tls_certs_merge(trusted);
        }
        let http = http.build().map_err(|error| Error::invalid(format!("{group}: {error}")))?;
        Ok(Self { http, environment, pace: Pace::new(requests_per_second) })
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// A request, to be sent with [`Self::send`].
    pub(crate) fn request(&self, method: reqwest::Method, url: &str) -> reqwest::RequestBuilder {
        self.http.request(method, url)
    }

    /// Sends a request as soon as the limit allows it. `subject` names it in errors.
    pub(crate) async fn send(
        &self,
        request: reqwest::RequestBuilder,
        subject: &str,
    ) -> std::result::Result<PlatformAnswer, PlatformError> {
        self.pace.take(1.0, &self.environment).await;
        let response = request.send().await;
        let response = response.map_err(|error| PlatformError::unreachable(error, subject))?;
        PlatformAnswer::receive(response, subject).await
    }
}

/// Percent-encodes what would change the path of a request; `/` separates folders.
pub(crate) fn encode_path(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::encode_path;

    #[test]
    fn what_would_change_the_request_is_encoded() {
        assert_eq!(encode_path("a/b.c_d-e~"), "a/b.c_d-e~");
        assert_eq!(encode_path("a?b#c d%é"), "a%3Fb%23c%20d%25%C3%A9");
    }
}
