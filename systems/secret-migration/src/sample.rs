//! A tracker to measure: platforms in memory that have the same secret at every path, and workloads for them.
//!
//! Owns what the budget command and the load benchmark measure, so that both mean the same workload. Does not own what
//! they do with it. The secret is made up.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use client::Account;

use crate::domain::{
    ClusterName, HashiSecrets, MappingInput, NamespaceName, SecretVersion, SourceReference,
    TrackedWorkload, UtcTimestamp, WorkloadKey,
};
use crate::error::{Error, Result};
use crate::migration::{Platforms, SecretMigration};
use crate::platform::{PlatformError, PlatformFailure};
use crate::rollout::NoRollout;
use crate::secret::SecretData;
use crate::settings::MigrationSettings;
use crate::source::{SecretLocation, SecretSource, SourceSecret};
use crate::target::{ExpectedVersion, SecretTarget, TargetSecret};

/// The namespace of all workloads.
const NAMESPACE: &str = "shop";

/// Opens a tracker whose source takes this long for every request.
///
/// # Errors
/// Those of [`SecretMigration::open`].
pub async fn open(
    account: Account,
    settings: MigrationSettings,
    pause: Duration,
) -> Result<SecretMigration> {
    let environment = account.environment().clone();
    let platforms = Platforms {
        source: Arc::new(SampleSource { pause }),
        target: Arc::new(SampleTarget::default()),
        rollout: Arc::new(NoRollout),
    };
    SecretMigration::open(account, settings, environment, platforms).await
}

/// A cluster whose namespace has a mapping.
///
/// # Errors
/// `Invalid` for a wrong name; those of the account.
pub async fn add_cluster(system: &SecretMigration, name: &str) -> Result<ClusterName> {
    let cluster = ClusterName::parse(name).map_err(Error::invalid)?;
    let input = MappingInput {
        smp_address: None,
        smp_path: format!("apps/{NAMESPACE}"),
        environment: None,
        temporary: false,
        source_created_at: None,
    };
    let namespace = NamespaceName::parse(NAMESPACE).map_err(Error::invalid)?;
    system.sync_namespaces(&cluster, vec![(namespace, input)]).await?;
    Ok(cluster)
}

/// The names of a workload.
///
/// # Errors
/// `Invalid` for a wrong name.
pub fn workload_key(cluster: &ClusterName, name: &str) -> Result<WorkloadKey> {
    WorkloadKey::parse(cluster.as_str(), NAMESPACE, name).map_err(Error::invalid)
}

/// A pending workload with so many references, as a scan finds it.
///
/// # Errors
/// `Invalid` for a wrong name, `Conflict` for one that is taken; those of the account.
pub async fn add_workload(
    system: &SecretMigration,
    cluster: &ClusterName,
    name: &str,
    references: usize,
) -> Result<WorkloadKey> {
    let key = workload_key(cluster, name)?;
    let items = (0..references).map(|number| SourceReference {
        path: format!("team/{name}/service-{number:02}"),
        keys: vec!["password".to_owned()],
        ..SourceReference::default()
    });
    let secrets = HashiSecrets {
        mount: "secret".to_owned(),
        items: items.collect(),
        ..HashiSecrets::default()
    };
    let now = UtcTimestamp::now(system.account().environment());
    let workload = TrackedWorkload::discovered(&key, None, secrets, "sample", now);
    if !system.core.create_workload(&workload).await? {
        return Err(Error::conflict(format!("there is a workload {key} already")));
    }
    Ok(key)
}

fn secret() -> std::result::Result<SecretData, PlatformError> {
    SecretData::parse(br#"{"password":"0123456789abcdef"}"#)
        .map_err(|why| PlatformError::new(PlatformFailure::Garbage { why }, "sample"))
}

/// Has the same secret everywhere, in one version.
struct SampleSource {
    pause: Duration,
}

#[async_trait]
impl SecretSource for SampleSource {
    async fn read(
        &self,
        location: &SecretLocation,
        _: Option<u64>,
    ) -> std::result::Result<SourceSecret, PlatformError> {
        Ok(SourceSecret { version: self.live_version(location).await?, data: secret()? })
    }

    async fn live_version(&self, _: &SecretLocation) -> std::result::Result<u64, PlatformError> {
        if !self.pause.is_zero() {
            tokio::time::sleep(self.pause).await;
        }
        Ok(1)
    }

    async fn live_versions(
        &self,
        location: &SecretLocation,
    ) -> std::result::Result<Vec<u64>, PlatformError> {
        Ok(vec![self.live_version(location).await?])
    }
}

/// Keeps versions only.
#[derive(Default)]
struct SampleTarget(Mutex<BTreeMap<String, u64>>);

#[async_trait]
impl SecretTarget for SampleTarget {
    fn numbers_versions(&self) -> bool {
        true
    }

    async fn read(&self, path: &str) -> std::result::Result<Option<TargetSecret>, PlatformError> {
        let version = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied();
        match version {
            Some(version) => Ok(Some(TargetSecret { version: version.into(), data: secret()? })),
            None => Ok(None),
        }
    }

    async fn write(
        &self,
        path: &str,
        _: &SecretData,
        expected: &ExpectedVersion,
    ) -> std::result::Result<SecretVersion, PlatformError> {
        let mut versions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let present = versions.get(path).copied();
        let is_expected = match (expected, present) {
            (ExpectedVersion::Absent, None) => true,
            (ExpectedVersion::Version(expected), Some(present)) => *expected == present.into(),
            _ => false,
        };
        if !is_expected {
            return Err(PlatformError::new(PlatformFailure::VersionConflict, path));
        }
        let version = present.unwrap_or_default() + 1;
        versions.insert(path.to_owned(), version);
        Ok(version.into())
    }
}
