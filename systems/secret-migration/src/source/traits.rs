//! A platform that secrets are read from, and what it can answer.
//!
//! Owns the trait.

use async_trait::async_trait;

use crate::platform::PlatformError;
use crate::secret::SecretData;

/// Where a secret is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretLocation {
    /// The mount.
    pub mount: String,
    /// The path below it.
    pub path: String,
}

/// One version of a secret.
#[derive(Debug)]
pub struct SourceSecret {
    /// Its number; 0 where the platform has no versions.
    pub version: u64,
    /// Its keys and values.
    pub data: SecretData,
}

/// A platform that secrets are read from.
#[async_trait]
pub trait SecretSource: Send + Sync {
    /// The newest version, or the version of this number.
    async fn read(
        &self,
        location: &SecretLocation,
        version: Option<u64>,
    ) -> Result<SourceSecret, PlatformError>;

    /// The number of the newest version if it can be read; reads no values.
    async fn live_version(&self, location: &SecretLocation) -> Result<u64, PlatformError>;

    /// The numbers of all versions that can be read, oldest first; reads no values.
    async fn live_versions(&self, location: &SecretLocation) -> Result<Vec<u64>, PlatformError>;
}

impl std::fmt::Display for SecretLocation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}", self.mount, self.path)
    }
}
