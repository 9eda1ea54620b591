//! What the operator of a service chooses about identity: the section `Identity`.

use jwks::KeySource;
use serde::{Deserialize, Serialize};

use crate::settings::{Check, Secret, Settings};

/// Shorter secrets can be guessed.
const SECRET_BYTES_MIN: usize = 32;

/// The section `Identity`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct IdentitySettings {
    /// Whom to believe.
    pub mode: IdentityMode,
    /// `iss` of the tokens.
    pub issuer: String,
    /// `aud` of the tokens.
    pub audience: String,
    /// The keys of the issuer: a file, or an address with https (or http on this machine).
    pub jwks: String,
    /// How far clocks may be apart.
    pub skew_seconds: u32,
    /// The claim with the roles: a list, or a text with spaces.
    pub roles_claim: String,
    /// Signs cursors and sessions. Instances of one service share it; without it they end with the program.
    pub secret: Secret,
    /// Signs the tokens of demo mode; random when it is not set.
    pub demo_secret: Secret,
    /// How long a session lasts after its last use.
    pub session_minutes: u32,
    /// Whether cookies are sent over TLS only. Turned off by demo mode.
    pub secure_cookies: bool,
    /// Origins of pages that may call with a session, besides the service's own.
    pub allowed_origins: Vec<String>,
}

/// Whom to believe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdentityMode {
    /// The issuer of the settings: RS256 and ES256 tokens.
    #[default]
    Jwt,
    /// The service itself: HS256 tokens and one-time sign-in links. For tests and demonstrations.
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
            secret: Secret::default(),
            demo_secret: Secret::default(),
            session_minutes: 12 * 60,
            secure_cookies: true,
            allowed_origins: Vec::new(),
        }
    }
}

impl IdentitySettings {
    /// Those of demo mode.
    #[must_use]
    pub fn demo() -> Self {
        Self { mode: IdentityMode::Demo, ..Self::default() }
    }
}

impl Settings for IdentitySettings {
    fn check(&self, check: &mut Check) {
        if self.mode == IdentityMode::Jwt {
            check.require("Issuer", !self.issuer.is_empty(), "the text of 'iss' in the tokens");
            check.require("Audience", !self.audience.is_empty(), "the text of 'aud' in the tokens");
            let is_source = KeySource::parse(&self.jwks).is_ok();
            let allowed = "a file, or an address with https (or http on this machine)";
            check.require("Jwks", is_source, allowed);
        }
        check.within("SkewSeconds", self.skew_seconds, 0..=600);
        check.within("SessionMinutes", self.session_minutes, 1..=60 * 24 * 90);
        for (name, secret) in [("Secret", &self.secret), ("DemoSecret", &self.demo_secret)] {
            let is_long = !secret.is_set() || secret.expose().len() >= SECRET_BYTES_MIN;
            check.require(name, is_long, "at least 32 characters, or none");
        }
        for origin in &self.allowed_origins {
            let is_origin = origin.split_once("://").is_some_and(|(scheme, host)| {
                matches!(scheme, "http" | "https") && !host.is_empty() && !host.contains('/')
            });
            check.require("AllowedOrigins", is_origin, "origins as https://app.example, no path");
        }
    }
}
