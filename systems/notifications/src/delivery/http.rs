//! What the HTTP providers share: the client, the reasons of failures without a response, and `Retry-After`.
//!
//! Owns that reasons hold no text from outside and no URL, which could contain a push token. Does not own the meaning
//! of any status.

use std::time::Duration;

use client::Clock;
use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{ClientBuilder, redirect};
use service::mail;
use service::settings::ProviderSettingsError;

use super::push::DeliveryResult;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest wait that is respected: an event should not be blocked by a provider with a wrong clock.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// A client that follows no redirects and whose requests end within `timeout`.
pub(super) fn builder(endpoint: &str, timeout: Duration) -> ClientBuilder {
    let builder = reqwest::Client::builder()
        // A redirect could lead to an address that was not checked, with our credentials in the request.
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT.min(timeout))
        .timeout(timeout);
    // An endpoint without TLS is on this machine or in its network, where a proxy would not find it.
    if endpoint.starts_with("http://") { builder.no_proxy() } else { builder }
}

/// Trusts the certificates in a file as well. `setting` is the setting that names the file.
pub(super) fn trust_ca_file(
    builder: ClientBuilder,
    setting: &str,
    file: &str,
) -> Result<ClientBuilder, ProviderSettingsError> {
    let Some(text) = mail::read_ca_file(setting, file)? else { return Ok(builder) };
    let certificates = reqwest::Certificate::from_pem_bundle(&text).map_err(|_| {
        ProviderSettingsError::new(
            setting,
            &format!("is '{file}', whose certificates cannot be used"),
        )
    })?;
    Ok(builder.tls_certs_merge(certificates))
}

/// Builds the client. `setting` is blamed if that fails.
pub(super) fn build(
    setting: &str,
    builder: ClientBuilder,
) -> Result<reqwest::Client, ProviderSettingsError> {
    builder.build().map_err(|error| {
        // The builder has no URL yet, so the error text cannot contain one.
        ProviderSettingsError::new(setting, &format!("cannot be called from here: {error}"))
    })
}

/// Validates an endpoint, and removes a trailing slash.
pub(super) fn parse_endpoint<'a>(
    setting: &str,
    text: &'a str,
) -> Result<&'a str, ProviderSettingsError> {
    let usable = reqwest::Url::parse(text)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if !usable {
        return Err(ProviderSettingsError::new(
            setting,
            "is not a URL; write it like https://host:port",
        ));
    }
    Ok(text.trim_end_matches('/'))
}

/// A header value that HTTP libraries do not log.
pub(super) fn sensitive_header(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The result of a request without a response: it may succeed later, except with a certificate that is refused, which
/// needs an operator.
pub(super) fn no_response(provider: &str, section: &str, error: &reqwest::Error) -> DeliveryResult {
    if let Some(wrong) = certificate_failure(provider, error) {
        let reason = format!("{wrong}; check {section}:Endpoint and {section}:CaFile");
        return DeliveryResult::Alarm { reason };
    }
    DeliveryResult::Retry { after: None, reason: format!("{provider}: {}", failure(error)) }
}

/// The reason, if the request failed because of the server's certificate.
pub(super) fn certificate_failure(provider: &str, error: &reqwest::Error) -> Option<String> {
    let wrong = mail::certificate_failure(error)?;
    Some(format!("{provider}: the certificate of the server is refused: {wrong}"))
}

fn failure(error: &reqwest::Error) -> &'static str {
    if error.is_timeout() {
        "no response in time"
    } else if error.is_connect() {
        "no connection"
    } else {
        "the connection was closed before the response"
    }
}

/// The wait that `Retry-After` asks for: seconds, or a date.
pub(super) fn retry_after(headers: &HeaderMap, clock: &dyn Clock) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = match text.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let until = jiff::fmt::rfc2822::parse(text).ok()?.timestamp().as_millisecond();
            let now = i64::try_from(clock.now().0).ok()?;
            // A date in the past means at once.
            Duration::from_millis(u64::try_from(until.saturating_sub(now)).unwrap_or(0))
        }
    };
    Some(wait.min(RETRY_AFTER_MAX))
}
