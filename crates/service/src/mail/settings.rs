//! The settings of a mail relay.

use serde::{Deserialize, Serialize};

use crate::settings::Secret;

/// Long for a relay, and short for whoever waits.
const TIMEOUT_SECONDS: u64 = 10;

/// `Smtp:*`: the mail relay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct SmtpSettings {
    /// Host of the relay.
    pub host: String,
    /// 0 means the standard port: 587 with STARTTLS, 465 with TLS, 25 without either.
    pub port: u16,
    /// The security of the connection.
    pub security: SmtpSecurity,
    /// Empty means no login.
    pub username: String,
    /// The password of the login.
    pub password: Secret,
    /// The sender: an address, or a name and an address in angle brackets.
    pub from: String,
    /// A PEM file of certificates that are trusted in addition to the machine's. Empty means none.
    pub ca_file: String,
    /// The timeout of one mail.
    pub timeout_seconds: u64,
}

/// The security of a mail connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SmtpSecurity {
    /// Starts in plain text and switches to TLS before anything is sent. Fails without TLS.
    #[default]
    StartTls,
    /// TLS from the first byte.
    Tls,
    /// No TLS, for a relay on the same machine.
    None,
}

impl SmtpSettings {
    /// Whether any setting of this section is set. If so, all required ones must be.
    #[must_use]
    pub fn has_any_value(&self) -> bool {
        let texts = [&self.host, &self.from, &self.username];
        texts.iter().any(|text| !text.is_empty()) || self.password.is_set()
    }
}

impl Default for SmtpSettings {
    fn default() -> Self {
        Self {
            host: String::new(),
            port: 0,
            security: SmtpSecurity::default(),
            username: String::new(),
            password: Secret::default(),
            from: String::new(),
            ca_file: String::new(),
            timeout_seconds: TIMEOUT_SECONDS,
        }
    }
}
