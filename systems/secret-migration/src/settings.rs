//! The operator settings of the tracker, with their defaults.
//!
//! Owns the names and their validation. Does not own where values come from (`service`), nor the settings of platforms
//! (`source`, `target`).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use service::settings::{Secret, SettingsSection, SettingsValidator};
use service::work::Backoff;

use crate::domain::{ClusterName, Wave};
use crate::error::{Error, Result};

/// The settings group `Migration`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct MigrationSettings {
    /// Name of the database.
    pub database: String,
    /// Workers per cluster in this process.
    pub workers: usize,
    /// Pending workloads per page.
    pub batch_size: usize,
    /// Request units per second that the workers of this process take at most; 0 for no limit.
    pub request_units_per_second: u32,
    /// Seconds a worker has before another may take over.
    pub lease_seconds: u64,
    /// Attempts after which a workload is held.
    pub max_attempts: u32,
    /// Seconds before the second attempt; doubles with each further one.
    pub retry_base_seconds: u64,
    /// Seconds that a workload has to become healthy after the switch.
    pub health_timeout_seconds: u64,
    /// A folder with one folder of manifests for each cluster, which the running system scans; none if it is empty.
    pub manifest_folder: String,
    /// The mount of paths in manifests that name none.
    pub default_mount: String,
    /// Minutes between two scans of a cluster.
    pub scan_interval_minutes: u64,
    /// Minutes between two synchronisations of namespaces.
    pub namespace_sync_minutes: u64,
    /// Seconds that a temporary namespace is kept after its last synchronisation.
    pub namespace_ttl_seconds: u32,
    /// Hours after which the mappings of a cluster are stale, if no synchronisation was complete meanwhile.
    pub mapping_age_hours: u64,
    /// Days after which a missing workload no longer counts in the progress.
    pub missing_days: u64,
    /// Workers take every pending workload, not only those that somebody asked for or whose wave runs.
    pub automatic: bool,
    /// A secret on the target that this system did not write is replaced instead of being a conflict.
    pub overwrite: bool,
    /// Every version of a secret that can be read is copied, not only the newest one. The target must number its
    /// versions: `kv2` and `directory` do.
    pub all_versions: bool,
    /// Clusters whose waves somebody else than their creator must approve. A name may end in `*`.
    pub production_clusters: Vec<String>,
    /// Milliseconds between two looks at the change feed for watchers: how late a change by another process is seen.
    pub watch_poll_milliseconds: u64,
    /// The key of fingerprints. If it is not set, each process has its own, and fingerprints of different processes
    /// cannot be compared.
    pub fingerprint_secret: Secret,
}

impl Default for MigrationSettings {
    fn default() -> Self {
        Self {
            database: "migration".to_owned(),
            workers: 4,
            batch_size: 100,
            request_units_per_second: 0,
            lease_seconds: 300,
            max_attempts: 5,
            retry_base_seconds: 30,
            health_timeout_seconds: 300,
            manifest_folder: String::new(),
            default_mount: "secret".to_owned(),
            scan_interval_minutes: 60,
            namespace_sync_minutes: 1,
            namespace_ttl_seconds: 86_400,
            mapping_age_hours: 24,
            missing_days: 7,
            automatic: false,
            overwrite: false,
            all_versions: false,
            production_clusters: Vec::new(),
            watch_poll_milliseconds: 250,
            fingerprint_secret: Secret::default(),
        }
    }
}

impl MigrationSettings {
    /// Checks the values.
    ///
    /// # Errors
    /// `Invalid` with the first wrong setting.
    pub fn validate(&self) -> Result<()> {
        match self.broken_rules().into_iter().next() {
            None => Ok(()),
            Some((name, rule)) => Err(Error::invalid(format!("Migration:{name}: {rule}"))),
        }
    }

    fn broken_rules(&self) -> Vec<(&'static str, String)> {
        let number = |value: usize| u64::try_from(value).unwrap_or(u64::MAX);
        let bounds = [
            ("Workers", number(self.workers), 1..=256),
            ("BatchSize", number(self.batch_size), 1..=1_000),
            ("LeaseSeconds", self.lease_seconds, 10..=3_600),
            ("MaxAttempts", u64::from(self.max_attempts), 1..=100),
            ("RetryBaseSeconds", self.retry_base_seconds, 1..=3_600),
            ("HealthTimeoutSeconds", self.health_timeout_seconds, 1..=86_400),
            ("ScanIntervalMinutes", self.scan_interval_minutes, 1..=10_080),
            ("NamespaceSyncMinutes", self.namespace_sync_minutes, 1..=1_440),
            ("NamespaceTtlSeconds", u64::from(self.namespace_ttl_seconds), 60..=31_536_000),
            ("MappingAgeHours", self.mapping_age_hours, 1..=8_760),
            ("MissingDays", self.missing_days, 1..=3_650),
            ("WatchPollMilliseconds", self.watch_poll_milliseconds, 10..=10_000),
        ];
        bounds
            .into_iter()
            .filter(|(_, value, allowed)| !allowed.contains(value))
            .map(|(name, value, allowed)| {
                (name, format!("{value} is not between {} and {}", allowed.start(), allowed.end()))
            })
            .collect()
    }

    pub(crate) fn lease(&self) -> Duration {
        Duration::from_secs(self.lease_seconds)
    }

    /// The pause after this many attempts.
    pub(crate) fn retry_delay(&self, attempts: u32, random: u64) -> Duration {
        let first = Duration::from_secs(self.retry_base_seconds);
        let longest = Duration::from_secs(3_600).max(first);
        Backoff { first, longest, jitter_percent: 10 }.delay(attempts, random)
    }

    pub(crate) fn mapping_age_max(&self) -> Duration {
        Duration::from_secs(self.mapping_age_hours * 3_600)
    }

    /// Whether a workload of the cluster that is in this wave, or in none, may be migrated: those of a protected cluster
    /// only in a wave of that cluster that somebody has approved.
    pub(crate) fn allows(&self, cluster: &ClusterName, wave: Option<&Wave>) -> bool {
        !self.protects(cluster)
            || wave
                .is_some_and(|wave| wave.selector.cluster == *cluster && wave.approved_by.is_some())
    }

    /// Whether waves of this cluster need an approval.
    pub(crate) fn protects(&self, cluster: &ClusterName) -> bool {
        self.production_clusters.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(prefix) => cluster.as_str().starts_with(prefix),
            None => cluster.as_str() == pattern,
        })
    }
}

impl SettingsSection for MigrationSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        for (name, rule) in self.broken_rules() {
            validator.require(name, false, &rule);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid_and_a_wrong_value_is_named() {
        MigrationSettings::default().validate().unwrap();
        let wrong = MigrationSettings { workers: 0, ..MigrationSettings::default() };
        let text = wrong.validate().unwrap_err().to_string();
        assert!(text.contains("Migration:Workers: 0 is not between 1 and 256"), "{text}");
    }

    #[test]
    fn a_pattern_protects_clusters() {
        let settings = MigrationSettings {
            production_clusters: vec!["prod-*".to_owned(), "live".to_owned()],
            ..MigrationSettings::default()
        };
        let protects = |name| settings.protects(&ClusterName::parse(name).unwrap());
        assert!(protects("prod-1") && protects("live") && !protects("live2") && !protects("dev"));
    }
}
