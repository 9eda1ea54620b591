//! Requests to a Vault: address, token, namespace, limits, and what an answer means.
//!
//! Owns the connection and the token with its renewal. Bodies that may hold values are read into memory that is wiped,
//! and never become part of an error.

use std::time::Duration;

use bytes::Bytes;
use client::Environment;
use reqwest::{Method, StatusCode};
use serde::Deserialize;
use serde_json::json;
use service::settings::Secret;
use zeroize::Zeroizing;

use crate::error::Result;
use crate::platform::{PlatformAnswer, PlatformError, PlatformFailure, PlatformHttp};

use super::settings::{VaultAuth, VaultSettings};

/// A connection to a Vault.
pub struct VaultClient {
    pub(crate) settings: VaultSettings,
    http: PlatformHttp,
    session: tokio::sync::Mutex<Option<VaultSession>>,
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

#[derive(Deserialize)]
struct LookedUpToken {
    data: TokenEnd,
}

#[derive(Deserialize)]
struct TokenEnd {
    #[serde(default)]
    ttl: u64,
    #[serde(default)]
    renewable: bool,
}

impl VaultClient {
    /// A connection with these settings. Nothing is sent yet.
    ///
    /// # Errors
    /// `Invalid` for an address or a certificate file that cannot be used.
    pub fn open(settings: VaultSettings, environment: Environment) -> Result<Self> {
        let http = PlatformHttp::open(
            "Vault",
            &settings.address,
            &settings.ca_file,
            settings.timeout_seconds,
            settings.requests_per_second,
            environment,
        )?;
        Ok(Self { settings, http, session: tokio::sync::Mutex::new(None) })
    }

    pub(super) fn environment(&self) -> &Environment {
        self.http.environment()
    }

    /// Sends a request with the token. A token that is refused once is replaced once: it may have been revoked.
    pub(crate) async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Zeroizing<Vec<u8>>>,
    ) -> std::result::Result<PlatformAnswer, PlatformError> {
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
    ) -> std::result::Result<PlatformAnswer, PlatformError> {
        let address = self.settings.address.trim_end_matches('/');
        let mut request = self.http.request(method, &format!("{address}/v1/{path}"));
        if let Some(token) = token {
            request = request.header("X-Vault-Token", token.expose());
        }
        if !self.settings.namespace.is_empty() {
            request = request.header("X-Vault-Namespace", &self.settings.namespace);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body);
        }
        self.http.send(request, path).await
    }

    /// The token; logs in or renews first if it ends soon.
    async fn token(&self) -> std::result::Result<Secret, PlatformError> {
        if self.settings.auth == VaultAuth::Token && !self.settings.renew_token {
            return Ok(self.settings.token.clone());
        }
        // Held during the login: of many workers only one logs in, the others wait for its token.
        let mut session = self.session.lock().await;
        let now = self.http.environment().stopwatch();
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
            VaultAuth::Token => return self.look_up().await,
            VaultAuth::AppRole => {
                json!({ "role_id": settings.role, "secret_id": settings.secret_id.expose() })
            }
            VaultAuth::Kubernetes | VaultAuth::Jwt => {
                json!({ "role": settings.role, "jwt": self.jwt()?.expose() })
            }
        };
        let path = settings.login_path();
        let begin = self.http.environment().stopwatch();
        let body = Zeroizing::new(body.to_string().into_bytes());
        let answer = self.send(Method::POST, &path, None, Some(Bytes::from_owner(body))).await?;
        answer.require_success(&path)?;
        self.to_session(&answer, begin, &path)
    }

    /// The token of the service account or issuer, as it is now.
    fn jwt(&self) -> std::result::Result<Secret, PlatformError> {
        let file = &self.settings.jwt_file;
        if file.is_empty() {
            return Ok(self.settings.jwt.clone());
        }
        let text = std::fs::read_to_string(file).map(Zeroizing::new).map_err(|error| {
            let why = error.to_string();
            PlatformError::new(PlatformFailure::Unreachable { why }, format!("JwtFile {file}"))
        })?;
        Ok(Secret::new(text.trim()))
    }

    /// The given token as a session: when it ends, and whether it can be renewed.
    async fn look_up(&self) -> std::result::Result<VaultSession, PlatformError> {
        let path = "auth/token/lookup-self";
        let begin = self.http.environment().stopwatch();
        let token = self.settings.token.clone();
        let answer = self.send(Method::GET, path, Some(&token), None).await?;
        answer.require_success(path)?;
        let LookedUpToken { data } = answer.parse(path)?;
        let lease = (data.ttl > 0).then(|| Duration::from_secs(data.ttl));
        Ok(VaultSession { token, begin, lease, is_renewable: data.renewable })
    }

    async fn renew(&self, session: &mut VaultSession) -> bool {
        let path = "auth/token/renew-self";
        let begin = self.http.environment().stopwatch();
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
        answer: &PlatformAnswer,
        begin: Duration,
        path: &str,
    ) -> std::result::Result<VaultSession, PlatformError> {
        let grant: LoginAnswer = answer.parse(path)?;
        let seconds = grant.auth.lease_duration;
        let lease = (seconds > 0).then(|| Duration::from_secs(seconds));
        let is_renewable = grant.auth.renewable;
        Ok(VaultSession { token: grant.auth.client_token, begin, lease, is_renewable })
    }
}
