//! The operator settings of this system, under the names of the seed, with their defaults.
//!
//! Owns the names and their validation. Does not own where values come from (`service`).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use service::settings::{Secret, SettingsSection, SettingsValidator};

use crate::error::{Error, FieldMistake, Result};

const DAY_SECONDS: u64 = 24 * 3600;

/// All sections of this system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct WorldsSettings {
    /// The section `Worlds`.
    pub worlds: WorldLimitSettings,
    /// The section `Deletion`.
    pub deletion: DeletionSettings,
    /// The section `ChangeFeed`.
    pub change_feed: ChangeFeedSettings,
    /// The section `Hierarchy`.
    pub hierarchy: HierarchySettings,
    /// The section `AccessControl`.
    pub access_control: AccessControlSettings,
}

/// The section `Worlds`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct WorldLimitSettings {
    /// Name of the database.
    pub database: String,
    /// Entities of a world at most.
    pub max_entities: u64,
    /// The number of entities from which creates have a warning.
    pub warn_at: u64,
    /// A file with more entity types.
    pub types_file: Option<String>,
}

/// The section `Deletion`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct DeletionSettings {
    /// Days that a deleted entity stays in place for an undo.
    pub grace_days: u64,
    /// Days that it is kept in the container of deleted entities after that.
    pub retention_days: u64,
    /// Operations of one user in one world at most, at the same time.
    pub max_concurrent: usize,
}

/// The section `ChangeFeed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct ChangeFeedSettings {
    /// Changes per delivery.
    pub batch_size: usize,
    /// Milliseconds between two polls. A tree is written once per poll at most.
    pub poll_interval_ms: u64,
    /// Seconds after which others may take the lease of a worker that is gone.
    pub lease_seconds: u64,
}

/// The section `Hierarchy`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct HierarchySettings {
    /// What happens to an entity under a parent that is not allowed.
    pub mode: HierarchyMode,
}

/// What happens to an entity under a parent that is not allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HierarchyMode {
    /// What its type says; it is refused if that says nothing.
    #[default]
    Error,
    /// It is stored, with a warning.
    Advisory,
}

/// The section `AccessControl`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct AccessControlSettings {
    /// Who may call.
    pub mode: AccessMode,
    /// The code that callers without sign-in send in the header `X-Access-Code`; none is needed if it is not set.
    pub access_code: Secret,
}

/// Who may call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessMode {
    /// People who have signed in; each sees own worlds only. See the section `Identity`.
    #[default]
    Users,
    /// Everybody who reaches the service, as one user.
    Anonymous,
}

impl Default for WorldLimitSettings {
    fn default() -> Self {
        let database = "worlds".to_owned();
        Self { database, max_entities: 5_000, warn_at: 4_500, types_file: None }
    }
}

impl Default for DeletionSettings {
    fn default() -> Self {
        Self { grace_days: 30, retention_days: 90, max_concurrent: 5 }
    }
}

impl Default for ChangeFeedSettings {
    fn default() -> Self {
        Self { batch_size: 100, poll_interval_ms: 1_000, lease_seconds: 60 }
    }
}

impl DeletionSettings {
    pub(crate) fn grace(&self) -> Duration {
        Duration::from_secs(self.grace_days * DAY_SECONDS)
    }

    pub(crate) fn retention(&self) -> Duration {
        Duration::from_secs(self.retention_days * DAY_SECONDS)
    }
}

impl ChangeFeedSettings {
    pub(crate) fn poll_interval(&self) -> Duration {
        Duration::from_millis(self.poll_interval_ms)
    }

    pub(crate) fn lease(&self) -> Duration {
        Duration::from_secs(self.lease_seconds)
    }
}

/// A setting that is a number: its section, its name, its value and what is allowed.
type BoundedSetting = (&'static str, &'static str, u64, std::ops::RangeInclusive<u64>);

impl WorldsSettings {
    fn bounds(&self) -> [BoundedSetting; 8] {
        let number = |value: usize| u64::try_from(value).unwrap_or(u64::MAX);
        let (worlds, deletion, feed) = (&self.worlds, &self.deletion, &self.change_feed);
        [
            // Above it, a branch item could outgrow what an account stores.
            ("Worlds", "MaxEntities", worlds.max_entities, 1..=5_000),
            ("Worlds", "WarnAt", worlds.warn_at, 1..=5_000),
            ("Deletion", "GraceDays", deletion.grace_days, 1..=3_650),
            ("Deletion", "RetentionDays", deletion.retention_days, 1..=3_650),
            ("Deletion", "MaxConcurrent", number(deletion.max_concurrent), 1..=1_000),
            ("ChangeFeed", "BatchSize", number(feed.batch_size), 1..=1_000),
            ("ChangeFeed", "PollIntervalMs", feed.poll_interval_ms, 10..=60_000),
            ("ChangeFeed", "LeaseSeconds", feed.lease_seconds, 10..=3_600),
        ]
    }

    /// Validates what the types do not.
    ///
    /// # Errors
    /// `Invalid`, naming each setting that is wrong.
    pub fn check(&self) -> Result<()> {
        let wrong = |(section, name, value, allowed): BoundedSetting| {
            let (least, most) = (allowed.start(), allowed.end());
            let message = format!("{value} is not between {least} and {most}");
            (!allowed.contains(&value))
                .then(|| FieldMistake::new(format!("{section}:{name}"), message))
        };
        let mistakes: Vec<_> = self.bounds().into_iter().filter_map(wrong).collect();
        if mistakes.is_empty() { Ok(()) } else { Err(Error::invalid("the settings", mistakes)) }
    }
}

impl SettingsSection for WorldsSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        for (section, name, value, allowed) in self.bounds() {
            let message = format!("a number between {} and {}", allowed.start(), allowed.end());
            validator.require(&format!("{section}:{name}"), allowed.contains(&value), &message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_under_the_names_of_the_seed() {
        let text = r#"{"Worlds":{"MaxEntities":50,"WarnAt":45},"Deletion":{"GraceDays":1},
            "ChangeFeed":{"BatchSize":500,"PollIntervalMs":10},"Hierarchy":{"Mode":"advisory"},
            "AccessControl":{"Mode":"anonymous","AccessCode":"open"}}"#;
        let settings: WorldsSettings = serde_json::from_str(text).unwrap();
        assert_eq!((settings.worlds.max_entities, settings.deletion.retention_days), (50, 90));
        assert_eq!(settings.hierarchy.mode, HierarchyMode::Advisory);
        assert!(settings.access_control.access_code.matches("open"));
        settings.check().unwrap();
        let mut wrong = settings;
        wrong.worlds.max_entities = 5_001;
        wrong.change_feed.batch_size = 0;
        assert_eq!(wrong.check().unwrap_err().mistakes().len(), 2);
    }
}
