//! The authorization code flow: the address at the issuer, and the person that its response names.
//!
//! Owns the order of the checks of a response (OpenID Connect Core 1.0, sections 3.1.2.7 and 3.1.3.7). Does not own the
//! routes.

use axum::http::{HeaderMap, HeaderValue};
use client::Environment;
use jwks::{
    KeyCache, KeySource, TokenClaims, TokenRules, TokenVerifier, UnverifiedToken, is_of_issuer,
};
use reqwest::Url;
use serde::Deserialize;

use super::attempt::{SignInAttempt, SignInAttempts};
use super::error::OidcError;
use super::issuer::OidcIssuer;
use super::redirect::{CALLBACK_PATH, RedirectUri};
use crate::identity::bearer::{caller_of_claims, display_name};
use crate::identity::settings::IdentitySettings;
use crate::identity::signing_key::SigningKey;

/// Signs people in at an issuer.
#[derive(Debug)]
pub(in crate::identity) struct OidcFlow {
    environment: Environment,
    issuer: OidcIssuer,
    attempts: SignInAttempts,
    verifier: TokenVerifier,
    redirects: Vec<RedirectUri>,
    /// A further path of the callback; empty if there is none.
    callback_path: String,
    signed_out_path: String,
    scopes: String,
    roles_claim: String,
}

/// The person that an ID token names.
#[derive(Debug)]
pub(in crate::identity) struct SignedInPerson {
    pub(in crate::identity) subject: String,
    pub(in crate::identity) roles: Vec<String>,
    pub(in crate::identity) name: Option<String>,
    /// All claims of the ID token.
    pub(in crate::identity) claims: serde_json::Map<String, serde_json::Value>,
}

/// The response of the issuer, as the browser brings it.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CallbackQuery {
    /// The code to exchange.
    code: Option<String>,
    /// The value of the request.
    state: Option<String>,
    /// The issuer (RFC 9207).
    iss: Option<String>,
    /// Why there is no code.
    error: Option<String>,
}

/// A response that belongs to an attempt of this browser, and its result.
pub(super) struct CallbackResult {
    pub(super) return_path: String,
    pub(super) person: Result<SignedInPerson, OidcError>,
}

impl OidcFlow {
    /// The flow of validated settings; `None` if they name no client.
    pub(in crate::identity) fn new(
        environment: &Environment,
        key: &SigningKey,
        settings: &IdentitySettings,
    ) -> Option<Self> {
        if !settings.signs_in_at_issuer() {
            return None;
        }
        let rules = TokenRules {
            requires_key_id: false,
            expiry_leeway_seconds: settings.skew_seconds,
            start_leeway_seconds: settings.skew_seconds,
            ..TokenRules::new(&settings.issuer, vec![settings.client_id.clone()])
        };
        let keys = KeyCache::new(KeySource::Issuer(settings.issuer.clone()));
        let issuer = OidcIssuer {
            environment: environment.clone(),
            issuer: settings.issuer.clone(),
            client_id: settings.client_id.clone(),
            client_secret: settings.client_secret.clone(),
            description: Default::default(),
        };
        Some(Self {
            environment: environment.clone(),
            issuer,
            attempts: SignInAttempts::new(environment.clone(), key, settings.secure_cookies),
            verifier: TokenVerifier::published(keys, rules),
            redirects: settings
                .redirect_uris
                .iter()
                .filter_map(|one| settings.redirect(one))
                .collect(),
            callback_path: settings.callback_path.clone(),
            signed_out_path: settings.signed_out_path.clone(),
            scopes: settings.scopes.join(" "),
            roles_claim: settings.roles_claim.clone(),
        })
    }

    pub(super) fn issuer_name(&self) -> &str {
        &self.issuer.issuer
    }

    /// The path of the callback beside that of every service, if the settings have one.
    pub(in crate::identity) fn callback_path(&self) -> Option<&str> {
        let is_further = !self.callback_path.is_empty() && self.callback_path != CALLBACK_PATH;
        is_further.then_some(self.callback_path.as_str())
    }

    /// The address of the callback for requests to this host, if there is one.
    pub(super) fn redirect(&self, host: &str) -> Option<&RedirectUri> {
        self.redirects.iter().find(|address| address.serves(host))
    }

    /// Starts a sign-in: the address at the issuer, and the cookie that binds the attempt to this browser.
    pub(super) async fn start(
        &self,
        redirect: &RedirectUri,
        return_path: &str,
    ) -> Result<(String, Option<HeaderValue>), OidcError> {
        let metadata = self.issuer.metadata().await?;
        let attempt = self.attempts.start(return_path.to_owned(), redirect.text().to_owned());
        let parameters = [
            ("response_type", "code"),
            ("client_id", &self.issuer.client_id),
            ("redirect_uri", redirect.text()),
            ("scope", &self.scopes),
            ("state", &self.attempts.state(&attempt)),
            ("nonce", &self.attempts.nonce(&attempt)),
            ("code_challenge", &self.attempts.code_challenge(&attempt)),
            ("code_challenge_method", "S256"),
        ];
        let url = with_query(&metadata.authorization_endpoint, &parameters);
        Ok((url, self.attempts.cookie(&attempt)))
    }

    /// Finishes a sign-in with the response of the issuer. An error here means that the response does not belong to an
    /// attempt of this browser, which then stays under way.
    pub(super) async fn finish(
        &self,
        headers: &HeaderMap,
        query: &CallbackQuery,
    ) -> Result<CallbackResult, OidcError> {
        let attempt = self.attempts.open(headers).ok_or(OidcError::NoAttempt)?;
        if !self.attempts.verify_state(&attempt, query.state.as_deref().unwrap_or_default()) {
            return Err(OidcError::State);
        }
        let person = self.person(&attempt, query).await;
        Ok(CallbackResult { return_path: attempt.return_path, person })
    }

    pub(super) fn expired_cookie(&self) -> Option<HeaderValue> {
        self.attempts.expired_cookie()
    }

    async fn person(
        &self,
        attempt: &SignInAttempt,
        query: &CallbackQuery,
    ) -> Result<SignedInPerson, OidcError> {
        let metadata = self.issuer.metadata().await?;
        // Before the code leaves this service: with several issuers, one could pass codes of another (RFC 9207).
        match &query.iss {
            Some(found) if !is_of_issuer(&self.issuer.issuer, found, None) => {
                return Err(OidcError::Issuer(found.clone()));
            }
            None if metadata.authorization_response_iss_parameter_supported => {
                return Err(OidcError::Issuer(String::new()));
            }
            _ => {}
        }
        match query.error.as_deref() {
            Some("access_denied") => return Err(OidcError::Denied),
            Some(code) => return Err(OidcError::Refused(code.to_owned())),
            None => {}
        }
        let code = query.code.as_deref().ok_or(OidcError::MissingCode)?;
        let code_verifier = self.attempts.code_verifier(attempt);
        let exchange = (code, attempt.redirect_uri.as_str(), code_verifier.as_str());
        let text = self.issuer.exchange(&metadata, exchange).await?;
        let token = UnverifiedToken::parse(&text).map_err(OidcError::Token)?;
        let verified = self.verifier.verify(&token, self.environment.now().0).await;
        let claims = verified.map_err(OidcError::Token)?;
        self.check_claims(attempt, &claims).map_err(OidcError::Claims)?;
        let claims = claims.into_map();
        let name = display_name(&claims);
        let caller = caller_of_claims(claims.clone(), &self.roles_claim);
        let caller = caller.map_err(OidcError::Claims)?;
        let (subject, roles) = (caller.subject().to_owned(), caller.roles().to_vec());
        Ok(SignedInPerson { subject, roles, name, claims })
    }

    fn check_claims(&self, attempt: &SignInAttempt, claims: &TokenClaims) -> Result<(), String> {
        let client_id = &self.issuer.client_id;
        if claims.text("nonce") != Some(&self.attempts.nonce(attempt)) {
            return Err("was issued for another sign-in ('nonce')".to_owned());
        }
        // A token for several clients names the one that asked for it.
        let authorized = claims.text("azp");
        let needs_authorized = claims.texts("aud").len() > 1;
        if authorized.map_or(needs_authorized, |found| found != client_id) {
            return Err(format!(
                "was issued to the client {authorized:?} and not to {client_id:?}"
            ));
        }
        Ok(())
    }

    /// Where a person signs out of the issuer too (OpenID Connect RP-Initiated Logout 1.0); `None` if the issuer has no
    /// such address or cannot be reached.
    pub(in crate::identity) async fn end_session_url(&self, host: &str) -> Option<String> {
        let metadata = self.issuer.metadata().await.ok()?;
        let home = self.redirect(host).map(|redirect| redirect.page(&self.signed_out_path));
        let mut parameters = vec![("client_id", self.issuer.client_id.as_str())];
        if let Some(home) = &home {
            parameters.push(("post_logout_redirect_uri", home));
        }
        metadata.end_session_endpoint.as_deref().map(|address| with_query(address, &parameters))
    }
}

/// An address with further parameters; it may have some already.
fn with_query(address: &str, parameters: &[(&str, &str)]) -> String {
    let mut url: Url = address.parse().expect("the description was checked when it was read");
    url.query_pairs_mut().extend_pairs(parameters);
    url.to_string()
}
