//! The bearer token the emulators take: its signature is the account key.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use azure_core::base64::encode_url_safe;
use azure_core::credentials::{AccessToken, Secret, TokenCredential, TokenRequestOptions};
use azure_core::time::OffsetDateTime;
use serde_json::json;

const KEY_NAME: &str = "CosmosEmulatorPrimaryMaster";
const ISSUER: &str = "https://sts.fake-issuer.net/7b1999a1-dfd7-440e-8204-00170979b984";
const LIFE: Duration = Duration::from_secs(3600);

/// Gives such tokens for an account key.
#[derive(Debug)]
pub(crate) struct FakeCredential {
    pub(crate) key: String,
}

#[async_trait::async_trait]
impl TokenCredential for FakeCredential {
    async fn get_token(
        &self,
        _scopes: &[&str],
        _options: Option<TokenRequestOptions<'_>>,
    ) -> azure_core::Result<AccessToken> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let head = json!({"typ": "JWT", "alg": "RS256", "x5t": KEY_NAME, "kid": KEY_NAME});
        let claims = json!({
            "appid": "localhost",
            "aud": "https://localhost.localhost",
            "tid": "EmulatorFederation",
            "iss": ISSUER,
            "nbf": now.as_secs(),
            "iat": now.as_secs(),
            "exp": (now + LIFE).as_secs(),
        });
        let parts = [head.to_string(), claims.to_string(), self.key.clone()];
        let parts = parts.map(|part| encode_url_safe(part).trim_end_matches('=').to_owned());
        let expires_on = OffsetDateTime::now_utc() + LIFE;
        Ok(AccessToken::new(Secret::from(parts.join(".")), expires_on))
    }
}
