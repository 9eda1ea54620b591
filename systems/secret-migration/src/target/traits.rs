//! A platform that secrets are written to.
//!
//! Owns the trait. A write says what it expects to replace, so that a repeated or a late write cannot add a version.

use async_trait::async_trait;

use crate::domain::SecretVersion;
use crate::platform::PlatformError;
use crate::secret::SecretData;

/// A secret on the platform.
#[derive(Debug)]
pub struct TargetSecret {
    /// Its newest version.
    pub version: SecretVersion,
    /// Its keys and values.
    pub data: SecretData,
}

/// What a write expects to replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedVersion {
    /// Nothing.
    Absent,
    /// This version.
    Version(SecretVersion),
}

/// A platform that secrets are written to.
#[async_trait]
pub trait SecretTarget: Send + Sync {
    /// Whether versions are numbers that each write increases by one. Only then can all versions of a secret be copied:
    /// the number says where an interrupted copy has ended.
    fn numbers_versions(&self) -> bool;

    /// The newest version; `None` if there is none.
    async fn read(&self, path: &str) -> Result<Option<TargetSecret>, PlatformError>;

    /// Writes a version if the newest one is the one that the caller expects, and returns its name. Otherwise
    /// [`crate::PlatformFailure::VersionConflict`].
    async fn write(
        &self,
        path: &str,
        data: &SecretData,
        expected: &ExpectedVersion,
    ) -> Result<SecretVersion, PlatformError>;
}
