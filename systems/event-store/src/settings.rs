//! The operator settings of the service, with their defaults.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use service::settings::{Secret, SettingsSection, SettingsValidator};

use crate::account::AccountStoreOptions;
use crate::projection::ProjectionSettings;
use crate::service_id::{DEFAULT_CLAIM, ServiceId};

/// The settings group `EventStore`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct EventStoreSettings {
    /// Where events are stored.
    pub provider: StoreProvider,
    /// Options of the provider on an account.
    pub account: AccountStoreOptions,
    /// The address of PostgreSQL, as `host=... user=... dbname=...` or as a URL.
    pub postgres_connection: Secret,
    /// The schema of the tables in PostgreSQL.
    pub postgres_schema: String,
    /// Connections to PostgreSQL at most.
    pub postgres_connections: usize,
    /// The claim of a token that names the tenant.
    pub service_id_claim: String,
    /// The folder for large states; in memory if empty.
    pub offload_folder: String,
    /// Seconds after which an event is in the safe state of a projection.
    pub safe_window_seconds: u64,
    /// Events of one batch of a projection.
    pub projection_batch_events: usize,
    /// A projection saves a snapshot after so many events.
    pub snapshot_events: u64,
    /// Longest time that a query waits for a position.
    pub wait_seconds: u64,
    /// Longest time in milliseconds until events of other processes are seen without a signal.
    pub poll_milliseconds: u64,
    /// Tenants whose metrics have a label of their own. All others are counted together.
    pub metric_tenants: BTreeSet<String>,
}

/// Where events are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoreProvider {
    /// In the account.
    #[default]
    Account,
    /// In PostgreSQL.
    Postgres,
}

impl Default for EventStoreSettings {
    fn default() -> Self {
        let projection = ProjectionSettings::default();
        Self {
            provider: StoreProvider::Account,
            account: AccountStoreOptions::default(),
            postgres_connection: Secret::default(),
            postgres_schema: "public".to_owned(),
            postgres_connections: 16,
            service_id_claim: DEFAULT_CLAIM.to_owned(),
            offload_folder: String::new(),
            safe_window_seconds: projection.safe_window.as_secs(),
            projection_batch_events: projection.batch_events,
            snapshot_events: projection.snapshot_events,
            wait_seconds: 30,
            poll_milliseconds: 500,
            metric_tenants: BTreeSet::new(),
        }
    }
}

impl EventStoreSettings {
    /// How projections run.
    #[must_use]
    pub fn projection(&self) -> ProjectionSettings {
        ProjectionSettings {
            safe_window: Duration::from_secs(self.safe_window_seconds),
            batch_events: self.projection_batch_events,
            snapshot_events: self.snapshot_events,
            poll: self.poll(),
        }
    }

    /// Longest time until events of other processes are seen without a signal.
    #[must_use]
    pub fn poll(&self) -> Duration {
        Duration::from_millis(self.poll_milliseconds)
    }
}

impl SettingsSection for EventStoreSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        let is_reachable =
            self.provider != StoreProvider::Postgres || self.postgres_connection.is_set();
        let allowed = "the address of the server, because Provider is postgres";
        validator.require("PostgresConnection", is_reachable, allowed);
        validator.require("ServiceIdClaim", !self.service_id_claim.is_empty(), "a claim");
        validator.require_range("SafeWindowSeconds", self.safe_window_seconds, 1..=3_600);
        validator.require_range("ProjectionBatchEvents", self.projection_batch_events, 1..=10_000);
        validator.require_range("SnapshotEvents", self.snapshot_events, 1..=1_000_000);
        validator.require_range("WaitSeconds", self.wait_seconds, 1..=600);
        validator.require_range("PollMilliseconds", self.poll_milliseconds, 10..=60_000);
        validator.require_range("PostgresConnections", self.postgres_connections, 1..=500);
        let are_tenants = self.metric_tenants.iter().all(|text| ServiceId::parse(text).is_ok());
        validator.require("MetricTenants", are_tenants, "ids of tenants");
        validator.require_range("MetricTenants", self.metric_tenants.len(), 0..=100);
        let account = &self.account;
        validator.require_range("Account:ReservationSeconds", account.reservation_seconds, 1..=600);
        validator.require_range(
            "Account:SafeWindowSeconds",
            account.safe_window_seconds,
            2..=3_600,
        );
    }
}
