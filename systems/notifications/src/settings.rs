//! What an operator chooses about this system, with its defaults.
//!
//! Owns the names and their checks. Does not own where values come from (`service`), nor the settings of providers
//! (`delivery`).

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use service::settings::Secret;

use crate::domain::{Category, EventType, QuietHours, Toggles, find_time_zone};
use crate::error::{Error, FieldError, Result};

/// The group `Notifications`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct NotificationSettings {
    /// Name of the database.
    pub database: String,
    /// Events taken at once, by the change feed and by the timer.
    pub batch_size: usize,
    /// Seconds between two rounds of the timer.
    pub interval_seconds: u64,
    /// Milliseconds between two looks into the change feed when nothing wakes the dispatcher.
    pub poll_milliseconds: u64,
    /// Milliseconds between two looks into the change feed for open streams, of what other processes wrote.
    pub stream_poll_milliseconds: u64,
    /// Seconds a worker has for one event.
    pub lease_seconds: u64,
    /// Attempts after which an event is dead.
    pub max_retries: u32,
    /// Minutes within which events of one dedupe key become one notification.
    pub dedupe_minutes: u64,
    /// The same for single types of events.
    pub dedupe_minutes_by_type: BTreeMap<EventType, u64>,
    /// Days events and notifications live, counted from their creation.
    pub retention_days: u64,
    /// Days an event lives after its way has ended, if that is sooner; as long as the others when absent.
    pub completed_days: Option<u64>,
    /// Active devices of a user at most.
    pub device_cap: usize,
    /// Days after which a device that was not seen is revoked, and a revoked one is deleted.
    pub device_days: u64,
    /// What quiet hours do with a push.
    pub quiet_mode: QuietMode,
    /// Pushes per user and category at most.
    pub rate_limits: BTreeMap<Category, PushRateLimit>,
    /// What a user has before they choose.
    pub defaults: PreferenceDefaults,
    /// Which paths are indexed.
    pub indexing: Indexing,
    /// What deep links begin with.
    pub deeplink_scheme: String,
    /// A folder with further locales, one file for each; none for those inside the program.
    pub template_folder: Option<String>,
    /// Keys the hash that names a user in proofs of erasure; it must stay the same.
    pub erasure_secret: Secret,
    /// Users whose events are worked on at the same time.
    pub users_at_once: usize,
}

/// What quiet hours do with a push. The in-app item is always written at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuietMode {
    /// There is no push.
    Suppress,
    /// The push comes when the quiet hours end.
    Defer,
}

/// Which paths are indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Indexing {
    /// All of them, as the seed says: any question can be asked.
    Full,
    /// Those this system asks by: writes cost less.
    Lean,
}

/// Pushes at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct PushRateLimit {
    /// In one hour; no limit when absent.
    pub per_hour: Option<usize>,
    /// In one day; no limit when absent.
    pub per_day: Option<usize>,
}

/// What a user has before they choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", default, deny_unknown_fields)]
pub struct PreferenceDefaults {
    /// IANA name.
    pub timezone: String,
    /// Other people.
    pub social: bool,
    /// About the system.
    pub news: bool,
    /// Offers: off, users opt in.
    pub marketing: bool,
    /// Language of texts.
    pub locale: String,
}

impl Default for NotificationSettings {
    fn default() -> Self {
        let limit = |per_hour, per_day| PushRateLimit { per_hour, per_day };
        Self {
            database: "asora".to_owned(),
            batch_size: 100,
            interval_seconds: 60,
            poll_milliseconds: 500,
            stream_poll_milliseconds: 1_000,
            lease_seconds: 120,
            max_retries: 5,
            dedupe_minutes: 15,
            dedupe_minutes_by_type: BTreeMap::new(),
            retention_days: 30,
            completed_days: None,
            device_cap: 3,
            device_days: 90,
            quiet_mode: QuietMode::Suppress,
            rate_limits: BTreeMap::from([
                (Category::Social, limit(Some(3), Some(20))),
                (Category::Safety, limit(Some(10), Some(50))),
                (Category::Security, limit(Some(10), Some(50))),
                (Category::News, limit(None, Some(1))),
                (Category::Marketing, limit(None, Some(1))),
            ]),
            defaults: PreferenceDefaults::default(),
            indexing: Indexing::Full,
            deeplink_scheme: "asora".to_owned(),
            template_folder: None,
            erasure_secret: Secret::default(),
            users_at_once: 16,
        }
    }
}

impl Default for PreferenceDefaults {
    fn default() -> Self {
        Self {
            timezone: "UTC".to_owned(),
            social: true,
            news: true,
            marketing: false,
            locale: "en".to_owned(),
        }
    }
}

const DAY_SECONDS: u64 = 24 * 3600;

impl NotificationSettings {
    /// Checks what the types do not.
    ///
    /// # Errors
    /// `Invalid`, naming each setting that is wrong.
    pub fn validate(&self) -> Result<()> {
        let problems: Vec<_> = self
            .field_errors()
            .into_iter()
            .map(|(name, message)| FieldError::new(format!("Notifications:{name}"), message))
            .collect();
        if problems.is_empty() {
            Ok(())
        } else {
            Err(Error::invalid_fields("the settings", problems))
        }
    }

    /// Names and what is wrong with their values.
    fn field_errors(&self) -> Vec<(&'static str, String)> {
        let number = |value: usize| u64::try_from(value).unwrap_or(u64::MAX);
        let bounds = [
            ("BatchSize", number(self.batch_size), 1..=1_000),
            ("IntervalSeconds", self.interval_seconds, 1..=3_600),
            ("PollMilliseconds", self.poll_milliseconds, 10..=60_000),
            ("StreamPollMilliseconds", self.stream_poll_milliseconds, 10..=60_000),
            ("LeaseSeconds", self.lease_seconds, 10..=3_600),
            ("MaxRetries", u64::from(self.max_retries), 1..=20),
            ("DedupeMinutes", self.dedupe_minutes, 0..=1_440),
            ("RetentionDays", self.retention_days, 1..=3_650),
            ("CompletedDays", self.completed_days.unwrap_or(1), 1..=3_650),
            ("DeviceCap", number(self.device_cap), 1..=50),
            ("DeviceDays", self.device_days, 1..=3_650),
            ("UsersAtOnce", number(self.users_at_once), 1..=1_000),
        ];
        let mut problems: Vec<_> = bounds
            .into_iter()
            .filter(|(_, value, allowed)| !allowed.contains(value))
            .map(|(name, value, allowed)| {
                let (least, most) = (allowed.start(), allowed.end());
                (name, format!("{value} is not between {least} and {most}"))
            })
            .collect();
        if find_time_zone(&self.defaults.timezone).is_none() {
            let message = format!("'{}' is no IANA time zone", self.defaults.timezone);
            problems.push(("PreferenceDefaults:timezone", message));
        }
        let scheme = &self.deeplink_scheme;
        let fits = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        if scheme.is_empty() || !scheme.chars().all(fits) {
            problems.push(("DeeplinkScheme", format!("'{scheme}' is no scheme of an address")));
        }
        problems
    }

    pub(crate) fn interval(&self) -> Duration {
        Duration::from_secs(self.interval_seconds)
    }

    pub(crate) fn lease(&self) -> Duration {
        Duration::from_secs(self.lease_seconds)
    }

    pub(crate) fn retention(&self) -> Duration {
        Duration::from_secs(self.retention_days * DAY_SECONDS)
    }

    /// The default time to live of the containers whose items expire.
    pub(crate) fn retention_seconds(&self) -> u32 {
        u32::try_from(self.retention().as_secs()).unwrap_or(u32::MAX)
    }

    /// How long an event lives after its way has ended, if that is sooner than the retention.
    pub(crate) fn completed_age_max(&self) -> Option<Duration> {
        self.completed_days.map(|days| Duration::from_secs(days * DAY_SECONDS))
    }

    pub(crate) fn device_age_max(&self) -> Duration {
        Duration::from_secs(self.device_days * DAY_SECONDS)
    }

    pub(crate) fn dedupe_window(&self, event_type: EventType) -> Duration {
        let minutes = self.dedupe_minutes_by_type.get(&event_type).copied();
        Duration::from_secs(60 * minutes.unwrap_or(self.dedupe_minutes))
    }

    pub(crate) fn rate_limit(&self, category: Category) -> PushRateLimit {
        self.rate_limits.get(&category).copied().unwrap_or_default()
    }

    pub(crate) fn default_toggles(&self) -> Toggles {
        let PreferenceDefaults { social, news, marketing, .. } = self.defaults;
        Toggles { social, news, marketing }
    }

    pub(crate) fn default_quiet_hours(&self) -> QuietHours {
        QuietHours::DEFAULT
    }
}

impl service::settings::Settings for NotificationSettings {
    fn check(&self, check: &mut service::settings::Check) {
        for (name, message) in self.field_errors() {
            check.require(name, false, &message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_under_their_names() {
        let text = r#"{"BatchSize":7,"QuietMode":"defer","PreferenceDefaults":{"timezone":"Europe/Berlin","marketing":true},
            "RateLimits":{"SOCIAL":{"PerHour":9}},"DedupeMinutesByType":{"POST_LIKE":60}}"#;
        let settings: NotificationSettings = serde_json::from_str(text).unwrap();
        assert_eq!((settings.batch_size, settings.quiet_mode), (7, QuietMode::Defer));
        assert_eq!(settings.rate_limit(Category::Social).per_hour, Some(9));
        assert_eq!(settings.dedupe_window(EventType::PostLike), Duration::from_secs(3_600));
        assert!(settings.default_toggles().marketing && settings.default_toggles().social);
        settings.validate().unwrap();
    }

    #[test]
    fn every_wrong_setting_is_named() {
        let wrong = NotificationSettings {
            batch_size: 0,
            deeplink_scheme: "a b".to_owned(),
            ..NotificationSettings::default()
        };
        let error = wrong.validate().unwrap_err();
        let fields: Vec<_> =
            error.field_errors().iter().map(|problem| problem.field.as_str()).collect();
        assert_eq!(fields, ["Notifications:BatchSize", "Notifications:DeeplinkScheme"]);
    }
}
