//! Access tokens of platforms other than Vault: a fixed one, or those of an OAuth issuer for a client and its secret.

use std::time::Duration;

use reqwest::Method;
use serde::Deserialize;
use service::settings::Secret;
use tokio::sync::Mutex;

use super::error::PlatformError;
use super::request::PlatformHttp;

/// A token is replaced this long before it ends.
const EARLY: Duration = Duration::from_secs(120);

/// Where access tokens come from.
pub(crate) enum PlatformTokens {
    /// Always the same.
    Fixed(Secret),
    /// An issuer.
    Issuer {
        /// Its address.
        address: String,
        /// The client.
        client_id: String,
        /// Its secret.
        client_secret: Secret,
        /// What the token is for.
        scope: String,
        /// The current token, and when it is replaced.
        current: Mutex<Option<(Secret, Duration)>>,
    },
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: Secret,
    #[serde(default)]
    expires_in: u64,
}

impl PlatformTokens {
    /// The token for a request.
    pub(crate) async fn token(&self, http: &PlatformHttp) -> Result<Secret, PlatformError> {
        let Self::Issuer { address, client_id, client_secret, scope, current } = self else {
            let Self::Fixed(token) = self else { return Ok(Secret::default()) };
            return Ok(token.clone());
        };
        // Held during the request: of many workers only one asks, the others wait for its token.
        let mut current = current.lock().await;
        let now = http.environment().stopwatch();
        if let Some((token, until)) = current.as_ref()
            && now < *until
        {
            return Ok(token.clone());
        }
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", client_id),
            ("client_secret", client_secret.expose()),
            ("scope", scope),
        ];
        let body = form.map(|(name, value)| {
            format!("{name}={}", super::encode_path(value).replace('/', "%2F"))
        });
        let request = http
            .request(Method::POST, address)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body.join("&"));
        let answer = http.send(request, "the issuer of tokens").await?;
        answer.require_success("the issuer of tokens")?;
        let granted: TokenAnswer = answer.parse("the issuer of tokens")?;
        let until = now + Duration::from_secs(granted.expires_in).saturating_sub(EARLY);
        let token = granted.access_token;
        *current = Some((token.clone(), until));
        Ok(token)
    }
}
