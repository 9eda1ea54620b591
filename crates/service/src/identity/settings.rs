//! The settings section `Identity`.

use jwks::{IssuerMetadata, KeySource, KeySourceError};
use serde::{Deserialize, Serialize};

use super::oidc::RedirectUri;
use crate::settings::{Secret, SettingsSection, SettingsValidator};

/// Shorter secrets are easier to guess.
const SECRET_BYTES_MIN: usize = 32;

/// The section `Identity`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct IdentitySettings {
    /// Whose tokens are accepted.
    pub mode: IdentityMode,
    /// The required claim `iss` of tokens. `{tenantid}` in it is the tenant of each token, for an issuer of many
    /// tenants.
    pub issuer: String,
    /// The required claim `aud` of tokens.
    pub audience: String,
    /// The source of the issuer's keys: a file, or an https URL (http for this machine only).
    pub jwks: String,
    /// Tolerated difference between clocks, in seconds.
    pub skew_seconds: u32,
    /// The claim that contains the roles: a list, or a text separated by spaces.
    pub roles_claim: String,
    /// The id of this service at the issuer, as registered there. If it is set, people sign in at the issuer by
    /// OpenID Connect, and `Jwks` need not be set.
    pub client_id: String,
    /// The secret of the client at the issuer. A public client has none.
    pub client_secret: Secret,
    /// The addresses to which the issuer may send people back: `https://app.example/session/callback`.
    pub redirect_uris: Vec<String>,
    /// The path of the callback, if it is not `/session/callback`, which works, too.
    pub callback_path: String,
    /// The path to which the issuer sends people who have signed out there.
    pub signed_out_path: String,
    /// The scopes of a sign-in at the issuer.
    pub scopes: Vec<String>,
    /// Signs cursors and sessions. Instances of one service share it. If it is not set, a random one is used, and
    /// cursors and sessions end with the process.
    pub secret: Secret,
    /// Signs the tokens of demo mode; random if it is not set.
    pub demo_secret: Secret,
    /// Lifetime of a session after its last use, in minutes.
    pub session_minutes: u32,
    /// Longest lifetime of a session from its begin, in minutes, however much it is used.
    pub session_max_minutes: u32,
    /// Whether cookies are sent over TLS only. Demo mode ignores it.
    pub secure_cookies: bool,
    /// Origins whose pages may use a session, besides the service's own.
    pub allowed_origins: Vec<String>,
}

/// Whose tokens are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdentityMode {
    /// Those of the issuer in the settings: RS256 and ES256.
    #[default]
    Jwt,
    /// None: people have sessions, which the service starts in its own way, such as by one-time codes.
    Session,
    /// Those of the service itself: HS256, and one-time sign-in links. For tests and demonstrations.
    Demo,
}

impl Default for IdentitySettings {
    fn default() -> Self {
        Self {
            mode: IdentityMode::Jwt,
            issuer: String::new(),
            audience: String::new(),
            jwks: String::new(),
            skew_seconds: 60,
            roles_claim: "roles".to_owned(),
            client_id: String::new(),
            client_secret: Secret::default(),
            redirect_uris: Vec::new(),
            callback_path: String::new(),
            signed_out_path: "/".to_owned(),
            scopes: vec!["openid".to_owned(), "profile".to_owned()],
            secret: Secret::default(),
            demo_secret: Secret::default(),
            session_minutes: 12 * 60,
            session_max_minutes: 7 * 24 * 60,
            secure_cookies: true,
            allowed_origins: Vec::new(),
        }
    }
}

impl IdentitySettings {
    /// The settings of demo mode.
    #[must_use]
    pub fn demo() -> Self {
        Self { mode: IdentityMode::Demo, ..Self::default() }
    }

    /// Whether people sign in at the issuer.
    pub(super) fn signs_in_at_issuer(&self) -> bool {
        self.mode == IdentityMode::Jwt && !self.client_id.is_empty()
    }

    /// An address of the callback; `None` if it is none.
    pub(super) fn redirect(&self, text: &str) -> Option<RedirectUri> {
        RedirectUri::parse(text, &self.callback_path)
    }

    /// The source of the keys for bearer tokens.
    pub(super) fn key_source(&self) -> Result<KeySource, KeySourceError> {
        if self.jwks.is_empty() && self.signs_in_at_issuer() {
            let source = KeySource::Issuer(self.issuer.clone());
            return source.check().map(|()| source);
        }
        KeySource::parse(&self.jwks)
    }

    fn validate_sign_in(&self, validator: &mut SettingsValidator) {
        if self.client_id.is_empty() {
            return;
        }
        let is_jwt = self.mode == IdentityMode::Jwt;
        validator.require("Mode", is_jwt, "jwt, because Identity:ClientId is set");
        let is_address = IssuerMetadata::check_issuer(&self.issuer).is_ok();
        let allowed = "an address with https (or http on this machine), because ClientId is set";
        validator.require("Issuer", is_address, allowed);
        let are_addresses = !self.redirect_uris.is_empty()
            && self.redirect_uris.iter().all(|text| self.redirect(text).is_some());
        let allowed =
            "addresses as https://app.example/session/callback (http on this machine only)";
        validator.require("RedirectUris", are_addresses, allowed);
        let is_path = |text: &str| text.starts_with('/') && !text.contains(['?', '#', '{', '*']);
        let is_callback = self.callback_path.is_empty() || is_path(&self.callback_path);
        validator.require("CallbackPath", is_callback, "a path as /signin-oidc, or none");
        validator.require("SignedOutPath", is_path(&self.signed_out_path), "a path as /");
        let has_scope = self.scopes.iter().any(|scope| scope == "openid");
        validator.require("Scopes", has_scope, "a list with 'openid'");
    }
}

impl SettingsSection for IdentitySettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        if self.mode == IdentityMode::Jwt {
            validator.require("Issuer", !self.issuer.is_empty(), "the text of 'iss' in the tokens");
            validator.require(
                "Audience",
                !self.audience.is_empty(),
                "the text of 'aud' in the tokens",
            );
            let is_source = self.key_source().is_ok();
            let allowed = "a file, or an address with https (or http on this machine)";
            validator.require("Jwks", is_source, allowed);
        }
        self.validate_sign_in(validator);
        validator.require_range("SkewSeconds", self.skew_seconds, 0..=600);
        validator.require_range("SessionMinutes", self.session_minutes, 1..=60 * 24 * 90);
        let longest = self.session_minutes.max(1)..=60 * 24 * 365;
        validator.require_range("SessionMaxMinutes", self.session_max_minutes, longest);
        for (name, secret) in [("Secret", &self.secret), ("DemoSecret", &self.demo_secret)] {
            let is_long = !secret.is_set() || secret.expose().len() >= SECRET_BYTES_MIN;
            validator.require(name, is_long, "at least 32 characters, or none");
        }
        for origin in &self.allowed_origins {
            let is_origin = origin.split_once("://").is_some_and(|(scheme, host)| {
                matches!(scheme, "http" | "https") && !host.is_empty() && !host.contains('/')
            });
            validator.require(
                "AllowedOrigins",
                is_origin,
                "origins as https://app.example, no path",
            );
        }
    }
}
