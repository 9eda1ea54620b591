//! The operator settings of this system, with their defaults.
//!
//! Owns the names and their validation. Does not own where values come from (`service`), nor the settings of push
//! providers (`delivery`).

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use service::settings::Secret;

use crate::domain::{Category, EventType, QuietHours, Toggles, find_time_zone};
use crate::error::{Error, InvalidField, Result};

/// The settings group `Notifications`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct NotificationSettings {
    /// Name of the database.
    pub database: String,
    /// Events per page, of the change feed and of the sweep.
    pub batch_size: usize,
    /// Seconds between two sweeps.
    pub interval_seconds: u64,
    /// Milliseconds between two polls of the change feed by the dispatcher, unless something wakes it.
    pub poll_milliseconds: u64,
    /// Milliseconds between two polls of the change feed for open streams. It is how late changes by other processes
    /// are seen.
    pub stream_poll_milliseconds: u64,
    /// Seconds a worker has for one event before another may claim it.
    pub lease_seconds: u64,
    /// Attempts after which an event is dead.
    pub max_retries: u32,
    /// The dedupe window: minutes within which events of one dedupe key become one notification.
    pub dedupe_minutes: u64,
    /// The dedupe window of single event types.
    pub dedupe_minutes_by_type: BTreeMap<EventType, u64>,
    /// Days that events and notifications are kept, counted from their creation.
    pub retention_days: u64,
    /// Days that a completed event is kept after its completion, if that is sooner.
    pub completed_days: Option<u64>,
    /// The device cap: active devices per user at most.
    pub device_cap: usize,
    /// Days after which an unseen device is revoked, and a revoked device is deleted.
    pub device_days: u64,
    /// What happens to a push in quiet hours.
    pub quiet_mode: QuietMode,
    /// Rate limits: pushes per user and category at most.
    pub rate_limits: BTreeMap<Category, PushRateLimit>,
    /// The preferences of a user who has not changed them.
    pub defaults: PreferenceDefaults,
    /// The indexing policy of the containers.
    pub indexing: Indexing,
    /// The scheme of deep links.
    pub deeplink_scheme: String,
    /// A folder with template files, one per locale, that add to or replace the built-in ones.
    pub template_folder: Option<String>,
    /// The key of the hash that names a user in erasure certificates and streams. It must not change.
    pub erasure_secret: Secret,
    /// How many users' events are processed in parallel.
    pub users_at_once: usize,
}

/// What happens to a push in quiet hours. The notification is always added to the list at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuietMode {
    /// It is not sent.
    Suppress,
    /// It is sent when the quiet hours end.
    Defer,
}

/// The indexing policy of the containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Indexing {
    /// All paths, as seed 003 says: any query is served by the index.
    Full,
    /// Only the paths that this system queries: writes cost less.
    Lean,
}

/// The most pushes of one category that a user gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct PushRateLimit {
    /// Within an hour; unlimited when absent.
    pub per_hour: Option<usize>,
    /// Within a day; unlimited when absent.
    pub per_day: Option<usize>,
}

/// The preferences of a user who has not changed them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", default, deny_unknown_fields)]
pub struct PreferenceDefaults {
    /// IANA name of the time zone.
    pub timezone: String,
    /// What other people do.
    pub social: bool,
    /// News about the system.
    pub news: bool,
    /// Offers; off, because users have to opt in.
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
    /// Validates what the types do not.
    ///
    /// # Errors
    /// `Invalid`, naming each setting that is wrong.
    pub fn validate(&self) -> Result<()> {
        let errors: Vec<_> = self
            .invalid_fields()
            .into_iter()
            .map(|(name, message)| InvalidField::new(format!("Notifications:{name}"), message))
            .collect();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(Error::with_invalid_fields("the settings", errors))
        }
    }

    /// The wrong settings, with what is wrong.
    fn invalid_fields(&self) -> Vec<(&'static str, String)> {
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
            // Absent is valid, so a number in range takes its place here.
            ("CompletedDays", self.completed_days.unwrap_or(1), 1..=3_650),
            ("DeviceCap", number(self.device_cap), 1..=50),
            ("DeviceDays", self.device_days, 1..=3_650),
            ("UsersAtOnce", number(self.users_at_once), 1..=1_000),
        ];
        let mut errors: Vec<_> = bounds
            .into_iter()
            .filter(|(_, value, allowed)| !allowed.contains(value))
            .map(|(name, value, allowed)| {
                let (least, most) = (allowed.start(), allowed.end());
                (name, format!("{value} is not between {least} and {most}"))
            })
            .collect();
        if let Some(minutes) = self.dedupe_minutes_by_type.values().find(|&&one| one > 1_440) {
            let message = format!("{minutes} is not between 0 and 1440");
            errors.push(("DedupeMinutesByType", message));
        }
        if find_time_zone(&self.defaults.timezone).is_none() {
            let message = format!("'{}' is not an IANA time zone", self.defaults.timezone);
            errors.push(("Defaults:timezone", message));
        }
        let scheme = &self.deeplink_scheme;
        let fits = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        if scheme.is_empty() || !scheme.chars().all(fits) {
            errors.push(("DeeplinkScheme", format!("'{scheme}' is not a URL scheme")));
        }
        errors
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
        // At most 3,650 days, which are far below the greatest time to live.
        u32::try_from(self.retention().as_secs()).unwrap_or(u32::MAX)
    }

    /// How long a completed event is kept after its completion, if that is sooner than the retention.
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

impl service::settings::SettingsSection for NotificationSettings {
    fn validate(&self, validator: &mut service::settings::SettingsValidator) {
        for (name, message) in self.invalid_fields() {
            validator.require(name, false, &message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_under_their_names() {
        let text = r#"{"BatchSize":7,"QuietMode":"defer","Defaults":{"timezone":"Europe/Berlin","marketing":true},
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
            dedupe_minutes_by_type: [(EventType::PostLike, u64::MAX)].into(),
            ..NotificationSettings::default()
        };
        let error = wrong.validate().unwrap_err();
        let fields: Vec<_> =
            error.invalid_fields().iter().map(|error| error.field.as_str()).collect();
        let names = ["BatchSize", "DedupeMinutesByType", "DeeplinkScheme"];
        assert_eq!(fields, names.map(|name| format!("Notifications:{name}")));
    }
}
