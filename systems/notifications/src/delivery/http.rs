//! What the providers over HTTP share: the client, the words for failures without an answer, and `Retry-After`.
//!
//! Owns that no text from outside and no URL gets into a reason. Does not own any status of a provider.

use std::time::Duration;

use client::Clock;
use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{ClientBuilder, redirect};

use super::push::PushResult;
use super::settings::ProviderSettingsError;
use super::tls;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A provider that asks for more has lost its clock.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// A client that follows nothing and waits for nothing longer than `timeout`.
pub(super) fn builder(endpoint: &str, timeout: Duration) -> ClientBuilder {
    let builder = reqwest::Client::builder()
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT.min(timeout))
        .timeout(timeout);
    // An endpoint without TLS is on this machine or beside it; a proxy would not find it.
    if endpoint.starts_with("http://") { builder.no_proxy() } else { builder }
}

/// The same, trusting the certificates of the file that a setting names too.
pub(super) fn trust_ca_file(
    builder: ClientBuilder,
    setting: &str,
    file: &str,
) -> Result<ClientBuilder, ProviderSettingsError> {
    let Some(text) = tls::read_ca_file(setting, file)? else { return Ok(builder) };
    let certificates = reqwest::Certificate::from_pem_bundle(&text).map_err(|_| {
        ProviderSettingsError::new(
            setting,
            &format!("is '{file}', whose certificates cannot be used"),
        )
    })?;
    Ok(builder.tls_certs_merge(certificates))
}

/// The client, or the setting that made it impossible.
pub(super) fn build(
    setting: &str,
    builder: ClientBuilder,
) -> Result<reqwest::Client, ProviderSettingsError> {
    builder.build().map_err(|error| {
        // A builder knows no URL, so its text is safe.
        ProviderSettingsError::new(setting, &format!("cannot be called from here: {error}"))
    })
}

/// An endpoint as it is used: with a scheme, without the last slash.
pub(super) fn parse_endpoint<'a>(
    setting: &str,
    text: &'a str,
) -> Result<&'a str, ProviderSettingsError> {
    let usable = reqwest::Url::parse(text)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if !usable {
        return Err(ProviderSettingsError::new(
            setting,
            "is no URL; write it like https://host:port",
        ));
    }
    Ok(text.trim_end_matches('/'))
}

/// A header value that does not show in logs of the libraries below.
pub(super) fn sensitive_header(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// No answer came: it may work later. A certificate that is refused needs an operator.
pub(super) fn no_response(provider: &str, section: &str, error: &reqwest::Error) -> PushResult {
    if let Some(wrong) = certificate_failure(provider, error) {
        let reason = format!("{wrong}; check {section}:Endpoint and {section}:CaFile");
        return PushResult::Alarm { reason };
    }
    PushResult::Retry { after: None, reason: format!("{provider}: {}", failure(error)) }
}

/// The sentence about the certificate of the other side, when that is why no answer came.
pub(super) fn certificate_failure(provider: &str, error: &reqwest::Error) -> Option<String> {
    let wrong = tls::certificate_failure(error)?;
    Some(format!("{provider}: the certificate of the other side is refused: {wrong}"))
}

fn failure(error: &reqwest::Error) -> &'static str {
    if error.is_timeout() {
        "no answer in time"
    } else if error.is_connect() {
        "no connection"
    } else {
        "the connection ended before the answer"
    }
}

/// How long the provider asks to wait: seconds, or a date.
pub(super) fn retry_after(headers: &HeaderMap, clock: &dyn Clock) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = match text.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let until = jiff::fmt::rfc2822::parse(text).ok()?.timestamp().as_millisecond();
            let now = i64::try_from(clock.now().0).ok()?;
            Duration::from_millis(u64::try_from(until.saturating_sub(now)).unwrap_or(0))
        }
    };
    Some(wait.min(RETRY_AFTER_MAX))
}
