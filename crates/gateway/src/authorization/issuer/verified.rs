//! Verifies the bearer tokens of the trusted issuer.
//!
//! Owns the rules for its tokens. Does not own verifying a token (see the crate `jwks`) or what the caller may do (see
//! `role`).

use engine::Environment;
use jwks::{
    Algorithm, KeyCache, KeySource, TokenError, TokenRules, TokenVerifier, UnverifiedToken,
};
use model::ValidationError;

use super::identity::{BearerIdentity, refuse, unauthorized};
use crate::http::ApiResult;

/// How far the clock of the issuer may be ahead of ours, in seconds. Expiry has no leeway.
const START_LEEWAY_SECONDS: u32 = 300;
/// Only signatures with a public key: a token must not be able to choose `none` or a shared secret.
const ALGORITHMS: [Algorithm; 8] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
];

/// A trusted issuer of bearer tokens.
#[derive(Debug)]
pub struct Issuer {
    verifier: TokenVerifier,
}

impl Issuer {
    /// Creates an issuer by its name in `iss`, the accepted audiences, and where its keys are.
    ///
    /// # Errors
    /// [`ValidationError`] without a name, without an audience, or when no keys can come from the source.
    pub fn new(name: &str, audiences: Vec<String>, source: KeySource) -> model::Result<Self> {
        if name.is_empty() {
            return Err(ValidationError::new(
                "The issuer has no name. Give the text of 'iss' in its tokens.",
            ));
        }
        if audiences.is_empty() {
            return Err(ValidationError::new(
                "No audience is given. Give the text of 'aud' in the tokens meant for this account.",
            ));
        }
        source.check().map_err(|error| ValidationError::new(format!("{error}.")))?;
        let rules = TokenRules {
            algorithms: ALGORITHMS.to_vec(),
            start_leeway_seconds: START_LEEWAY_SECONDS,
            ..TokenRules::new(name, audiences)
        };
        Ok(Self { verifier: TokenVerifier::published(KeyCache::new(source), rules) })
    }

    /// Returns the caller of a token that is signed by this issuer, meant for this account and valid now.
    pub(in crate::authorization) async fn authenticate(
        &self,
        environment: &Environment,
        token: &UnverifiedToken<'_>,
    ) -> ApiResult<BearerIdentity> {
        let verified = self.verifier.verify(token, environment.now().0).await;
        let claims = verified.map_err(|error| match error {
            // The service has one error for every signature that is not valid.
            TokenError::AlgorithmNotAllowed(algorithm) => {
                let key_id = token.header_text("kid").map(str::to_owned);
                refuse(&TokenError::Signature { key_id, algorithm })
            }
            other => refuse(&other),
        })?;
        // `oid` and not `sub`: roles are assigned to object ids, and `sub` differs from application to application.
        let object_id = claims.text("oid").filter(|id| !id.is_empty());
        let object_id = object_id
            .ok_or_else(|| unauthorized(5011, "has no claim 'oid' that names its caller"))?;
        Ok(BearerIdentity { object_id: object_id.to_owned(), groups: claims.texts("groups") })
    }
}
