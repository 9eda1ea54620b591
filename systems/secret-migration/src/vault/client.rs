//! Requests to a Vault: address, token, namespace, limits, and what an answer means.
//!
//! Owns the connection and the token with its renewal. Bodies that may hold values are read into memory that is wiped,
//! and never become part of an error.

use std::sync::Mutex;
use std::time::Duration;

use bytes::Bytes;
use client::Environment;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Method, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};
use service::settings::Secret;
use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::platform_error::{PlatformError, PlatformFailure};

use super::settings::{VaultAuth, VaultSettings};

/// A larger answer is no secret.
const ANSWER_BYTES_MAX: usize = 8 << 20;

/// A connection to a Vault.
pub struct VaultClient {
    pub(crate) settings: VaultSettings,
    http: reqwest::Client,
    environment: Environment,
    session: tokio::sync::Mutex<Option<VaultSession>>,
    next_request_ms: Mutex<u64>,
}

/// The token of a login, and when it ends.
struct VaultSession {
    token: Secret,
    begin: Duration,
    lease: Option<Duration>,
    is_renewable: bool,
}

#[derive(Deserialize)]
struct LoginAnswer {
    auth: LoginGrant,
}

#[derive(Deserialize)]
struct LoginGrant {
    client_token: Secret,
    #[serde(default)]
    lease_duration: u64,
    #[serde(default)]
    renewable: bool,
}

/// An answer of a Vault.
pub(crate) struct VaultAnswer {
    pub(crate) status: StatusCode,
    /// Wiped when dropped.
    pub(crate) body: Zeroizing<Vec<u8>>,
    retry_after: Option<Duration>,
}

impl VaultClient {
    /// A connection with these settings. Nothing is sent yet.
    ///
    /// # Errors
    /// `Invalid` for an address or a certificate file that cannot be used.
    pub fn open(settings: VaultSettings, environment: Environment) -> Result<Self> {
        let is_web =
            ["http://", "https://"].iter().any(|start| settings.address.starts_with(start));
        if !is_web {
            let message =
                format!("Vault:Address: '{}' is no http or https address", settings.address);
            return Err(Error::invalid(message));
        }
        let timeout = Duration::from_secs(settings.timeout_seconds.max(1));
        // Straight to the Vault: a proxy that the environment names must not see requests with tokens.
        let mut http = reqwest::Client::builder().timeout(timeout).no_proxy();
        if !settings.ca_file.is_empty() {
            let file = &settings.ca_file;
            let wrong = |why: String| Error::invalid(format!("Vault:CaFile {file}: {why}"));
            let pem = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
            let trusted = reqwest::Certificate::from_pem_bundle(&pem);
            let trusted = trusted.map_err(|error| wrong(error.to_string()))?;
            http = http.tls_certs_merge(trusted);
        }
        let http = http.build().map_err(|error| Error::invalid(format!("Vault: {error}")))?;
        let (session, next_request_ms) = (tokio::sync::Mutex::new(None), Mutex::new(0));
        Ok(Self { settings, http, environment, session, next_request_ms })
    }

    /// Sends a request with the token. A token that is refused once is replaced once: it may have been revoked.
    pub(crate) async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Zeroizing<Vec<u8>>>,
    ) -> std::result::Result<VaultAnswer, PlatformError> {
        let token = self.token().await?;
        let body = body.map(Bytes::from_owner);
        let answer = self.send(method.clone(), path, Some(&token), body.clone()).await?;
        if answer.status != StatusCode::FORBIDDEN || self.settings.auth == VaultAuth::Token {
            return Ok(answer);
        }
        self.session.lock().await.take_if(|session| session.token == token);
        let token = self.token().await?;
        self.send(method, path, Some(&token), body).await
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        token: Option<&Secret>,
        body: Option<Bytes>,
    ) -> std::result::Result<VaultAnswer, PlatformError> {
        self.pace().await;
        let address = self.settings.address.trim_end_matches('/');
        let mut request = self.http.request(method, format!("{address}/v1/{path}"));
        if let Some(token) = token {
            request = request.header("X-Vault-Token", token.expose());
        }
        if !self.settings.namespace.is_empty() {
            request = request.header("X-Vault-Namespace", &self.settings.namespace);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body);
        }
        let unreachable = |error: reqwest::Error| {
            let why = error.without_url().to_string();
            PlatformError::new(PlatformFailure::Unreachable { why }, path)
        };
        let mut response = request.send().await.map_err(unreachable)?;
        let (status, retry_after) = (response.status(), retry_after(response.headers()));
        let mut body = Zeroizing::new(Vec::with_capacity(16 << 10));
        while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
            if body.len() + chunk.len() > ANSWER_BYTES_MAX {
                let why = format!("more than {ANSWER_BYTES_MAX} bytes");
                return Err(PlatformError::new(PlatformFailure::Garbage { why }, path));
            }
            // Growing would leave a copy that nobody wipes.
            if body.capacity() < body.len() + chunk.len() {
                let mut larger = Zeroizing::new(Vec::with_capacity((body.len() + chunk.len()) * 2));
                larger.extend_from_slice(&body);
                body = larger;
            }
            body.extend_from_slice(&chunk);
        }
        Ok(VaultAnswer { status, body, retry_after })
    }

    /// The token; logs in or renews first if it ends soon.
    async fn token(&self) -> std::result::Result<Secret, PlatformError> {
        if self.settings.auth == VaultAuth::Token {
            return Ok(self.settings.token.clone());
        }
        // Held during the login: of many workers only one logs in, the others wait for its token.
        let mut session = self.session.lock().await;
        let now = self.environment.stopwatch();
        if let Some(open) = session.as_mut() {
            let age = now.saturating_sub(open.begin);
            match open.lease {
                Some(lease) if age >= lease * 2 / 3 => {
                    let is_renewed = age < lease && open.is_renewable && self.renew(open).await;
                    if is_renewed {
                        return Ok(open.token.clone());
                    }
                }
                _ => return Ok(open.token.clone()),
            }
        }
        let fresh = self.log_in().await?;
        let token = fresh.token.clone();
        *session = Some(fresh);
        Ok(token)
    }

    async fn log_in(&self) -> std::result::Result<VaultSession, PlatformError> {
        let settings = &self.settings;
        let body = match settings.auth {
            VaultAuth::AppRole => {
                json!({ "role_id": settings.role, "secret_id": settings.secret_id.expose() })
            }
            _ => json!({ "role": settings.role, "jwt": settings.jwt.expose() }),
        };
        let path = settings.login_path();
        let begin = self.environment.stopwatch();
        let body = Zeroizing::new(body.to_string().into_bytes());
        let answer = self.send(Method::POST, &path, None, Some(Bytes::from_owner(body))).await?;
        answer.require_success(&path)?;
        self.to_session(&answer, begin, &path)
    }

    async fn renew(&self, session: &mut VaultSession) -> bool {
        let path = "auth/token/renew-self";
        let begin = self.environment.stopwatch();
        let body = Some(Bytes::from_static(b"{}"));
        match self.send(Method::POST, path, Some(&session.token), body).await {
            Ok(answer) if answer.status.is_success() => match self.to_session(&answer, begin, path)
            {
                Ok(renewed) => {
                    *session = renewed;
                    true
                }
                Err(_) => false,
            },
            _ => false,
        }
    }

    fn to_session(
        &self,
        answer: &VaultAnswer,
        begin: Duration,
        path: &str,
    ) -> std::result::Result<VaultSession, PlatformError> {
        let grant: LoginAnswer = answer.parse(path)?;
        let seconds = grant.auth.lease_duration;
        let lease = (seconds > 0).then(|| Duration::from_secs(seconds));
        let is_renewable = grant.auth.renewable;
        Ok(VaultSession { token: grant.auth.client_token, begin, lease, is_renewable })
    }

    /// Waits for the next free slot of the limit.
    async fn pace(&self) {
        let rate = u64::from(self.settings.requests_per_second);
        if rate == 0 {
            return;
        }
        let now = u64::try_from(self.environment.stopwatch().as_millis()).unwrap_or(u64::MAX);
        let slot = {
            let mut next =
                self.next_request_ms.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let slot = now.max(*next);
            *next = slot + (1_000 / rate).max(1);
            slot
        };
        if slot > now {
            self.environment.sleep(Duration::from_millis(slot - now)).await;
        }
    }
}

impl VaultAnswer {
    /// Parses a body that holds no values, or only in types that hide them.
    pub(crate) fn parse<'a, T: Deserialize<'a>>(
        &'a self,
        path: &str,
    ) -> std::result::Result<T, PlatformError> {
        serde_json::from_slice(&self.body).map_err(|error| {
            // Neither the text of the error nor the body: both may hold values.
            let why = format!("no JSON of the expected shape (column {})", error.column());
            PlatformError::new(PlatformFailure::Garbage { why }, path)
        })
    }

    /// What an answer that is no success means.
    pub(crate) fn require_success(&self, path: &str) -> std::result::Result<(), PlatformError> {
        let failure = match self.status.as_u16() {
            200..=299 => return Ok(()),
            400 if self.says("check-and-set") => PlatformFailure::VersionConflict,
            403 => PlatformFailure::Denied,
            404 => PlatformFailure::Missing,
            429 | 473 if self.says("standby") => PlatformFailure::Standby,
            429 => PlatformFailure::Busy { retry_after: self.retry_after },
            473 => PlatformFailure::Standby,
            503 if self.says("sealed") => PlatformFailure::Sealed,
            status if status >= 500 => {
                PlatformFailure::Unreachable { why: format!("status {status}") }
            }
            status => PlatformFailure::Refused { status },
        };
        Err(PlatformError::new(failure, path))
    }

    /// Whether one of the errors contains a text.
    fn says(&self, text: &str) -> bool {
        let body: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let errors = body.get("errors").and_then(Value::as_array).cloned().unwrap_or_default();
        let lower = |error: &Value| error.as_str().unwrap_or_default().to_ascii_lowercase();
        errors.iter().any(|error| lower(error).contains(text))
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}
