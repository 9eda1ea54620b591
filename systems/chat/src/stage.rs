//! The accounts of the cloud service that the chat runs on: development, staging and production (CH-001 to CH-006).

use model::ConsistencyLevel;
use service::schema::{AccountBackup, AccountSchema};

/// The region of an account for which none is named.
pub const DEFAULT_REGION: &str = "polandcentral";

/// How an account that runs the chat is sized and protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatStage {
    /// 1,000 RU/s, periodic backups, one zone.
    Development,
    /// 4,000 RU/s, periodic backups, several zones.
    Staging,
    /// 4,000 RU/s, continuous backups, several zones.
    Production,
}

impl ChatStage {
    /// Request units per second up to which the database scales; its containers share them.
    #[must_use]
    pub fn throughput_max(self) -> i64 {
        match self {
            Self::Development => 1_000,
            Self::Staging | Self::Production => 4_000,
        }
    }

    /// The account in a region. Its public network access is off exactly if it has a private endpoint.
    #[must_use]
    pub fn account(self, region: &str, private_endpoint_subnet: Option<&str>) -> AccountSchema {
        let backup = match self {
            Self::Production => AccountBackup::ContinuousThirtyDays,
            Self::Development | Self::Staging => {
                AccountBackup::PeriodicLocal { interval_minutes: 240, retention_hours: 8 }
            }
        };
        AccountSchema {
            // A writer reads its own writes.
            consistency: ConsistencyLevel::Session,
            region: region.to_owned(),
            is_zone_redundant: self != Self::Development,
            backup,
            private_endpoint_subnet: private_endpoint_subnet.map(str::to_owned),
        }
    }
}
