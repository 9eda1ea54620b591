//! Verifies tokens.
//!
//! Owns the order of the checks: algorithm, key, signature, then the claims. Nothing of the claims is used before the
//! signature has been checked. The list of algorithms is closed by configuration and by the type of the key, so neither
//! `none` nor a public key taken for a secret can pass.

use std::fmt;

use jsonwebtoken::{Algorithm, DecodingKey};

use crate::cache::KeyCache;
use crate::claims::TokenClaims;
use crate::error::TokenError;
use crate::issuer::is_of_issuer;
use crate::key::verify_with;
use crate::token::UnverifiedToken;

/// What is expected of tokens.
#[derive(Clone, Debug)]
pub struct TokenRules {
    /// The claim `iss`, compared exactly; for an issuer of many tenants as [`is_of_issuer`] compares it.
    pub issuer: String,
    /// The claim `aud` must contain one of these.
    pub audiences: Vec<String>,
    /// The allowed algorithms. A key may allow fewer.
    pub algorithms: Vec<Algorithm>,
    /// Whether a token must name its key, even if its issuer has only one.
    pub requires_key_id: bool,
    /// How long a token is accepted after `exp`, for clocks that differ.
    pub expiry_leeway_seconds: u32,
    /// How long a token is accepted before `nbf`, for clocks that differ.
    pub start_leeway_seconds: u32,
}

impl TokenRules {
    /// The strictest rules: RS256 and ES256 only, named keys, no leeway.
    #[must_use]
    pub fn new(issuer: &str, audiences: Vec<String>) -> Self {
        Self {
            issuer: issuer.to_owned(),
            audiences,
            algorithms: vec![Algorithm::RS256, Algorithm::ES256],
            requires_key_id: true,
            expiry_leeway_seconds: 0,
            start_leeway_seconds: 0,
        }
    }
}

/// Verifies the tokens of one issuer.
#[derive(Debug)]
pub struct TokenVerifier {
    keys: TokenKeys,
    rules: TokenRules,
}

enum TokenKeys {
    Published(KeyCache),
    Secret(DecodingKey),
}

impl TokenVerifier {
    /// Verifies tokens with the keys that their issuer publishes.
    #[must_use]
    pub fn published(keys: KeyCache, rules: TokenRules) -> Self {
        Self { keys: TokenKeys::Published(keys), rules }
    }

    /// Verifies tokens with a secret that is shared with the issuer. The algorithm is HS256 and nothing else, whatever
    /// the rules say.
    #[must_use]
    pub fn shared_secret(secret: &[u8], rules: TokenRules) -> Self {
        let rules = TokenRules { algorithms: vec![Algorithm::HS256], ..rules };
        Self { keys: TokenKeys::Secret(DecodingKey::from_secret(secret)), rules }
    }

    /// Returns the claims of a token that passes all checks.
    ///
    /// # Errors
    /// [`TokenError`] with the first check that fails.
    pub async fn verify(
        &self,
        token: &UnverifiedToken<'_>,
        now_ms: u64,
    ) -> Result<TokenClaims, TokenError> {
        // A server that ignored an extension marked as critical would misread the token (RFC 7515, section 4.1.11).
        if token.has_header("crit") {
            return Err(TokenError::Extensions);
        }
        let key_id = token.header_text("kid");
        if key_id.is_none() && self.rules.requires_key_id {
            return Err(TokenError::MissingKeyId);
        }
        // Checked before the key is looked up, so that hopeless tokens do not cause requests to the issuer.
        let name = token.header_text("alg").unwrap_or("none");
        let algorithm = name.parse::<Algorithm>().ok();
        let algorithm = algorithm
            .filter(|algorithm| self.rules.algorithms.contains(algorithm))
            .ok_or_else(|| TokenError::AlgorithmNotAllowed(name.to_owned()))?;
        let is_signed = match &self.keys {
            TokenKeys::Published(keys) => {
                let key = keys.key(key_id, now_ms).await?;
                key.verify(algorithm, token.signed, token.signature)
            }
            TokenKeys::Secret(key) => verify_with(key, algorithm, token.signed, token.signature),
        };
        if !is_signed {
            let (key_id, algorithm) = (key_id.map(str::to_owned), name.to_owned());
            return Err(TokenError::Signature { key_id, algorithm });
        }
        let claims = token.unverified_claims()?;
        self.check_claims(&claims, now_ms)?;
        Ok(claims)
    }

    fn check_claims(&self, claims: &TokenClaims, now_ms: u64) -> Result<(), TokenError> {
        let TokenRules { issuer, audiences, .. } = &self.rules;
        let found = claims.text("iss");
        let tenant = Some(claims.text("tid").unwrap_or_default());
        if !found.is_some_and(|found| is_of_issuer(issuer, found, tenant)) {
            let (found, expected) = (found.map(str::to_owned), issuer.clone());
            return Err(TokenError::Issuer { found, expected });
        }
        let found = claims.texts("aud");
        if !found.iter().any(|audience| audiences.contains(audience)) {
            return Err(TokenError::Audience { found, expected: audiences.clone() });
        }
        let now = i64::try_from(now_ms / 1000).unwrap_or(i64::MAX);
        let expires = claims.seconds("exp").ok_or(TokenError::MissingExpiry)?;
        if expires.saturating_add(self.rules.expiry_leeway_seconds.into()) <= now {
            return Err(TokenError::Expired);
        }
        let latest_start = now.saturating_add(self.rules.start_leeway_seconds.into());
        // A start that is not a number is not in the past either.
        if claims.contains("nbf") && claims.seconds("nbf").is_none_or(|start| start > latest_start)
        {
            return Err(TokenError::NotYetValid);
        }
        Ok(())
    }
}

impl fmt::Debug for TokenKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Published(keys) => formatter.debug_tuple("Published").field(keys).finish(),
            // Never prints the secret.
            Self::Secret(_) => formatter.write_str("Secret"),
        }
    }
}
