//! The issuer as a server: its description, and the exchange of a code for an ID token.
//!
//! Owns when the description is read again, and how this service authenticates at the token endpoint. Does not own
//! whether a token is valid.

use std::sync::Arc;
use std::time::Duration;

use client::Environment;
use jwks::IssuerMetadata;
use reqwest::Url;
use reqwest::redirect::Policy;
use serde::Deserialize;
use tokio::sync::Mutex;

use super::error::OidcError;
use crate::settings::Secret;

/// A description older than this is read again.
const AGE_MS_MAX: u64 = 60 * 60 * 1000;
/// How long a failure to read it is repeated instead of asking again. Anybody can start a sign-in.
const FAILURE_MS: u64 = 5_000;
const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(10);
const RESPONSE_BYTES_MAX: usize = 256 * 1024;

/// The issuer of ID tokens for one client.
#[derive(Debug)]
pub(super) struct OidcIssuer {
    pub(super) environment: Environment,
    pub(super) issuer: String,
    pub(super) client_id: String,
    pub(super) client_secret: Secret,
    pub(super) description: Mutex<Description>,
}

/// What is known of the issuer.
#[derive(Debug, Default)]
pub(super) struct Description {
    metadata: Option<Arc<IssuerMetadata>>,
    read_ms: u64,
    failure: Option<(u64, jwks::KeySourceError)>,
}

/// The members of the token response that are used. Access tokens are not: the service calls no API of the issuer.
#[derive(Deserialize)]
struct CodeExchangeResponse {
    id_token: Option<String>,
    error: Option<String>,
}

impl OidcIssuer {
    /// The description of the issuer. If it cannot be read again, an old one is used.
    pub(super) async fn metadata(&self) -> Result<Arc<IssuerMetadata>, OidcError> {
        let now_ms = self.environment.now().0;
        // Held while it is read, so that many sign-ins at once cause one request.
        let mut known = self.description.lock().await;
        let is_new = now_ms.saturating_sub(known.read_ms) <= AGE_MS_MAX;
        if let Some(metadata) = known.metadata.as_ref().filter(|_| is_new) {
            return Ok(Arc::clone(metadata));
        }
        let recent = known.failure.clone();
        let recent = recent.filter(|(at, _)| now_ms.saturating_sub(*at) < FAILURE_MS);
        let read = match recent {
            Some((_, error)) => Err(error),
            None => IssuerMetadata::fetch(&self.issuer).await,
        };
        match (read, &known.metadata) {
            (Ok(metadata), _) => {
                let metadata = Arc::new(metadata);
                let kept = Some(Arc::clone(&metadata));
                *known = Description { metadata: kept, read_ms: now_ms, failure: None };
                Ok(metadata)
            }
            (Err(_), Some(old)) => Ok(Arc::clone(old)),
            (Err(error), None) => {
                if known.failure.as_ref().is_none_or(|(at, _)| now_ms - at >= FAILURE_MS) {
                    known.failure = Some((now_ms, error.clone()));
                }
                Err(OidcError::Description(error))
            }
        }
    }

    /// Exchanges a code for an ID token, which is not verified yet.
    pub(super) async fn exchange(
        &self,
        metadata: &IssuerMetadata,
        (code, redirect_uri, code_verifier): (&str, &str, &str),
    ) -> Result<String, OidcError> {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("code_verifier", code_verifier),
        ];
        let describe = |error: reqwest::Error| OidcError::Exchange(error.without_url().to_string());
        // A redirect could carry code and secret to another host.
        let client = reqwest::Client::builder().redirect(Policy::none()).timeout(EXCHANGE_TIMEOUT);
        let client = client.build().map_err(describe)?;
        let mut request = client.post(&metadata.token_endpoint);
        match self.authentication(metadata)? {
            ClientAuthentication::None => form.push(("client_id", &self.client_id)),
            ClientAuthentication::Basic => {
                // Encoded before they are joined by a colon (RFC 6749, section 2.3.1).
                let encoded =
                    |text: &str| encode_form(&[("", text)]).trim_start_matches('=').to_owned();
                let secret = encoded(self.client_secret.expose());
                request = request.basic_auth(encoded(&self.client_id), Some(secret));
            }
            ClientAuthentication::Post => {
                form.push(("client_id", &self.client_id));
                form.push(("client_secret", self.client_secret.expose()));
            }
        }
        let request = request
            .header("accept", "application/json")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(encode_form(&form));
        let mut response = request.send().await.map_err(describe)?;
        let status = response.status();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(describe)? {
            body.extend_from_slice(&chunk);
            if body.len() > RESPONSE_BYTES_MAX {
                let why = format!("the answer is longer than {RESPONSE_BYTES_MAX} bytes");
                return Err(OidcError::Exchange(why));
            }
        }
        let answer: CodeExchangeResponse = serde_json::from_slice(&body).map_err(|_| {
            OidcError::Exchange(format!("the answer is {status} and no token response"))
        })?;
        match (answer.id_token, answer.error) {
            (Some(token), _) if status.is_success() => Ok(token),
            (_, Some(error)) => Err(OidcError::Exchange(format!("the issuer says {error:?}"))),
            _ => Err(OidcError::Exchange(format!("the answer is {status} without an ID token"))),
        }
    }

    fn authentication(&self, metadata: &IssuerMetadata) -> Result<ClientAuthentication, OidcError> {
        if !self.client_secret.is_set() {
            return Ok(ClientAuthentication::None);
        }
        let Some(methods) = &metadata.token_endpoint_auth_methods_supported else {
            return Ok(ClientAuthentication::Basic);
        };
        let takes = |method: &str| methods.iter().any(|one| one == method);
        match (takes("client_secret_basic"), takes("client_secret_post")) {
            (true, _) => Ok(ClientAuthentication::Basic),
            (false, true) => Ok(ClientAuthentication::Post),
            (false, false) => Err(OidcError::ClientAuthentication(methods.clone())),
        }
    }
}

/// How this service authenticates at the token endpoint.
enum ClientAuthentication {
    /// A public client: PKCE alone protects the code.
    None,
    Basic,
    Post,
}

/// The pairs as `application/x-www-form-urlencoded`.
fn encode_form(pairs: &[(&str, &str)]) -> String {
    let mut url: Url = "form:".parse().expect("a scheme alone is an address");
    url.query_pairs_mut().extend_pairs(pairs);
    url.query().unwrap_or_default().to_owned()
}
