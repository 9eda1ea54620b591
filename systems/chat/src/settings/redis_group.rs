//! The group `Redis`: ephemeral state. Without a connection string it is kept in the memory of this process.

use serde::{Deserialize, Serialize};
use service::settings::{Secret, SettingsSection, SettingsValidator};

/// The group `Redis`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct RedisSettings {
    /// `redis://host:port`, or `host:port`; empty: no Redis.
    pub connection_string: Secret,
    /// Number of the Redis database.
    pub database: u32,
    /// Seconds that a one-time code is valid; also the window in which wrong codes are counted.
    pub otp_ttl_seconds: u64,
    /// Tenant in front of every key: `tenant:{id}:`; none if it is empty.
    pub tenant: String,
}

impl Default for RedisSettings {
    fn default() -> Self {
        Self {
            connection_string: Secret::default(),
            database: 0,
            otp_ttl_seconds: 300,
            tenant: String::new(),
        }
    }
}

impl SettingsSection for RedisSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        validator.require_range("OtpTtlSeconds", self.otp_ttl_seconds, 60..=600);
        let is_plain = self.tenant.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        validator.require("Tenant", is_plain, "letters, digits and '-'");
    }
}
