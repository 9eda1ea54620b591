//! All groups together, and the small ones.

use serde::{Deserialize, Serialize};
use service::mail::SmtpSettings;
use service::settings::{Secret, SettingsSection, SettingsValidator};

use super::{
    ChatGroup, CosmosSettings, EntraSettings, FeatureSettings, OtpSettings, RateLimitSettings,
    RedisSettings, TestingSettings,
};
use crate::error::{Error, Result};

/// All settings of the chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ChatSettings {
    /// Tests and trials.
    pub testing: TestingSettings,
    /// Documents.
    pub cosmos: CosmosSettings,
    /// Ephemeral state.
    pub redis: RedisSettings,
    /// One-time codes.
    pub otp: OtpSettings,
    /// Limits.
    pub rate_limiting: RateLimitSettings,
    /// Reminders of unread messages.
    pub notifications: ReminderSettings,
    /// The relay for mails with codes and reminders.
    pub smtp: SmtpSettings,
    /// Where other codes and reminders are sent.
    pub delivery: DeliverySettings,
    /// What is switched on.
    pub features: FeatureSettings,
    /// Pages of other origins.
    pub cors: CorsSettings,
    /// Names by which the service may be called, separated by semicolons; `*` for all.
    pub allowed_hosts: String,
    /// Sign-in by an issuer.
    pub entra_id: EntraSettings,
    /// Rules of messages.
    pub chat: ChatGroup,
}

/// The group `Notifications`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct ReminderSettings {
    /// Seconds after which members are reminded of a message that nobody has read; 0 or less turns it off.
    pub unread_delay_seconds: i64,
}

/// The group `Delivery`: a signed call for each text message, and for each mail if there is no relay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct DeliverySettings {
    /// Is called with POST for each message; without it they go to the log, in development only.
    pub webhook_url: String,
    /// The key of its signature.
    pub webhook_secret: Secret,
}

/// The group `Cors`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct CorsSettings {
    /// Origins whose pages may call this service.
    pub allowed_origins: Vec<String>,
    /// Pages of every origin may; in development only.
    pub allow_all_origins: bool,
}

impl Default for ReminderSettings {
    fn default() -> Self {
        Self { unread_delay_seconds: 60 }
    }
}

impl Default for ChatSettings {
    fn default() -> Self {
        Self {
            testing: TestingSettings::default(),
            cosmos: CosmosSettings::default(),
            redis: RedisSettings::default(),
            otp: OtpSettings::default(),
            rate_limiting: RateLimitSettings::default(),
            notifications: ReminderSettings::default(),
            smtp: SmtpSettings::default(),
            delivery: DeliverySettings::default(),
            features: FeatureSettings::default(),
            cors: CorsSettings::default(),
            allowed_hosts: "*".to_owned(),
            entra_id: EntraSettings::default(),
            chat: ChatGroup::default(),
        }
    }
}

impl ChatSettings {
    /// Checks what the groups cannot: rules that need several of them.
    ///
    /// # Errors
    /// `Invalid` with the setting and the way out.
    pub fn check(&self) -> Result<()> {
        for (name, holds, allowed) in self.rules() {
            if !holds {
                return Err(Error::invalid(format!("{name}: {allowed}")));
            }
        }
        Ok(())
    }

    fn rules(&self) -> [(&'static str, bool, &'static str); 4] {
        let is_trial = self.chat.development || self.testing.in_memory;
        let has_pepper = self.otp.pepper.is_set() || !self.otp.hashing_enabled;
        let has_channel = !self.delivery.webhook_url.is_empty()
            || self.smtp.has_any_value()
            || self.entra_id.is_enabled();
        let ttl = self.cosmos.messages_time_to_live().is_some();
        [
            ("Otp:Pepper", is_trial || has_pepper, "set base64 of at least 32 bytes"),
            (
                "Delivery:WebhookUrl",
                is_trial || has_channel,
                "set an address that sends codes, or Smtp:Host, or EntraId:ClientId, or Chat:Development=true",
            ),
            (
                "Cors:AllowAllOrigins",
                is_trial || !self.cors.allow_all_origins,
                "only with Chat:Development=true; list the origins in Cors:AllowedOrigins",
            ),
            ("Cosmos:MessagesTtlSeconds", ttl, "not set, -1, or 1 to 2147483647"),
        ]
    }
}

impl SettingsSection for ChatSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        validator.section("Cosmos", &self.cosmos);
        validator.section("Redis", &self.redis);
        validator.section("Otp", &self.otp);
        validator.section("RateLimiting", &self.rate_limiting);
        validator.section("EntraId", &self.entra_id);
        validator.section("Chat", &self.chat);
        let url = &self.delivery.webhook_url;
        let is_web = url.is_empty() || url.starts_with("http://") || url.starts_with("https://");
        validator.require("Delivery:WebhookUrl", is_web, "an http or https address");
        for (name, holds, allowed) in self.rules() {
            validator.require(name, holds, allowed);
        }
    }
}

#[cfg(test)]
mod tests {
    use service::settings::SettingsBuilder;

    use super::*;

    /// The errors of settings given by variables, as one text.
    fn check(variables: &[(&str, &str)], expected: &str) {
        let variables =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let loaded = SettingsBuilder::new().environment(variables).load::<ChatSettings>();
        let text = match loaded {
            Ok(loaded) => format!("{:?}", loaded.value.cosmos.messages_ttl_seconds),
            Err(errors) => errors.iter().map(|error| format!("{error}\n")).collect(),
        };
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn the_time_to_live_has_three_states_and_everything_else_is_refused() {
        let development = ("Chat__Development", "true");
        check(&[development], "None");
        check(&[development, ("Cosmos__MessagesTtlSeconds", "-1")], "Some(-1)");
        check(&[development, ("COSMOS__MESSAGESTTLSECONDS", "604800")], "Some(604800)");
        for wrong in ["0", "-2", "week", "2147483648"] {
            check(
                &[development, ("Cosmos__MessagesTtlSeconds", wrong)],
                "Cosmos:MessagesTtlSeconds",
            );
        }
    }

    #[test]
    fn outside_of_development_a_pepper_and_a_way_to_send_codes_are_needed() {
        check(&[], "Otp:Pepper");
        check(&[], "Delivery:WebhookUrl");
        check(&[("Testing__InMemory", "true")], "None");
        check(&[("Testing__InMemory", "true"), ("Otp__Pepper", "c2hvcnQ=")], "Otp:Pepper");
        check(&[("Cors__AllowAllOrigins", "true")], "Cors:AllowAllOrigins");
        check(&[("Testing__InMemory", "true"), ("Otp__MaxAttempts", "2")], "Otp:MaxAttempts");
        check(
            &[("Testing__InMemory", "true"), ("Redis__OtpTtlSeconds", "601")],
            "Redis:OtpTtlSeconds",
        );
    }
}
