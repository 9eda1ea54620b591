//! The platforms of our side: a source in memory that takes its time, and a target that only counts.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use secret_migration::{
    ExpectedVersion, PlatformError, PlatformFailure, SecretData, SecretLocation, SecretSource,
    SecretTarget, SecretVersion, SourceSecret, TargetSecret,
};

fn secret() -> Result<SecretData, PlatformError> {
    SecretData::parse(br#"{"user":"benchmark","password":"0123456789abcdef"}"#).map_err(|why| {
        PlatformError { failure: PlatformFailure::Garbage { why }, subject: String::new() }
    })
}

/// Answers every path after its time.
pub(super) struct SlowSource(pub(super) Duration);

#[async_trait]
impl SecretSource for SlowSource {
    async fn read(
        &self,
        _: &SecretLocation,
        _: Option<u64>,
    ) -> Result<SourceSecret, PlatformError> {
        tokio::time::sleep(self.0).await;
        Ok(SourceSecret { version: 1, data: secret()? })
    }

    async fn live_version(&self, _: &SecretLocation) -> Result<u64, PlatformError> {
        tokio::time::sleep(self.0).await;
        Ok(1)
    }
}

/// Keeps only versions.
#[derive(Default)]
pub(super) struct QuickTarget(Mutex<BTreeMap<String, u64>>);

#[async_trait]
impl SecretTarget for QuickTarget {
    async fn read(&self, path: &str) -> Result<Option<TargetSecret>, PlatformError> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied();
        Ok(match known {
            Some(version) => Some(TargetSecret { version: version.into(), data: secret()? }),
            None => None,
        })
    }

    async fn write(
        &self,
        path: &str,
        _: &SecretData,
        _: &ExpectedVersion,
    ) -> Result<SecretVersion, PlatformError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), 1);
        Ok(1.into())
    }
}
