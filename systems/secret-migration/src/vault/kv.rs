//! The key-value engine of a Vault, version 1 and 2: as a source, and version 2 as a target.

use async_trait::async_trait;
use reqwest::Method;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::domain::{SecretVersion, UtcTimestamp};
use crate::platform::{PlatformAnswer, PlatformError, PlatformFailure, encode_path};
use crate::secret::SecretData;
use crate::source::{SecretLocation, SecretSource, SourceSecret};
use crate::target::{ExpectedVersion, SecretTarget, TargetSecret};

use super::client::VaultClient;

#[derive(Deserialize)]
struct DataAnswer<T> {
    data: T,
}

/// The data of version 2, with the values still in the text.
#[derive(Deserialize)]
struct VersionedData<'a> {
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    metadata: VersionMetadata,
}

#[derive(Deserialize)]
struct VersionMetadata {
    version: u64,
    #[serde(default)]
    deletion_time: String,
    #[serde(default)]
    destroyed: bool,
}

#[derive(Deserialize)]
struct PathMetadata {
    current_version: u64,
    versions: std::collections::BTreeMap<String, VersionState>,
}

#[derive(Deserialize)]
struct VersionState {
    #[serde(default)]
    deletion_time: String,
    #[serde(default)]
    destroyed: bool,
}

#[derive(Deserialize)]
struct WrittenVersion {
    version: u64,
}

/// The answer's `data`, as far as it is parsed.
fn data<'a, T: Deserialize<'a>>(
    answer: &'a PlatformAnswer,
    path: &str,
) -> Result<T, PlatformError> {
    let parsed: DataAnswer<T> = answer.parse(path)?;
    Ok(parsed.data)
}

fn failure<T>(failure: PlatformFailure, path: &str) -> Result<T, PlatformError> {
    Err(PlatformError::new(failure, path))
}

fn secret_data(raw: &RawValue, path: &str) -> Result<SecretData, PlatformError> {
    SecretData::parse(raw.get().as_bytes())
        .or_else(|why| failure(PlatformFailure::Garbage { why }, path))
}

impl VaultClient {
    async fn read_versioned(
        &self,
        mount: &str,
        path: &str,
        version: Option<u64>,
    ) -> Result<SourceSecret, PlatformError> {
        let query = version.map(|number| format!("?version={number}")).unwrap_or_default();
        let url = format!("{mount}/data/{}{query}", encode_path(path));
        let answer = self.call(Method::GET, &url, None).await?;
        let named = format!("{mount}/{path}");
        // A deleted or destroyed version is 404 with its metadata; a path that never was has none.
        if answer.status == reqwest::StatusCode::NOT_FOUND {
            return match data::<VersionedData<'_>>(&answer, &named) {
                Ok(gone) => failure(deleted(&gone.metadata), &named),
                Err(_) => failure(PlatformFailure::Missing, &named),
            };
        }
        answer.require_success(&named)?;
        let read: VersionedData<'_> = data(&answer, &named)?;
        let version = read.metadata.version;
        match read.data {
            Some(raw) => Ok(SourceSecret { version, data: secret_data(raw, &named)? }),
            None => failure(deleted(&read.metadata), &named),
        }
    }

    /// A version with a time to live has a time of deletion in the future while it lives.
    fn is_past(&self, deletion_time: &str) -> bool {
        match UtcTimestamp::parse(deletion_time) {
            Ok(at) => at <= UtcTimestamp::now(self.environment()),
            Err(_) => !deletion_time.is_empty(),
        }
    }

    fn is_live(&self, state: &VersionState) -> bool {
        !state.destroyed && !self.is_past(&state.deletion_time)
    }

    async fn read_metadata(
        &self,
        location: &SecretLocation,
    ) -> Result<PathMetadata, PlatformError> {
        let named = location.to_string();
        let url = format!("{}/metadata/{}", location.mount, encode_path(&location.path));
        let answer = self.call(Method::GET, &url, None).await?;
        answer.require_success(&named)?;
        data(&answer, &named)
    }

    async fn read_plain(&self, location: &SecretLocation) -> Result<SourceSecret, PlatformError> {
        let named = location.to_string();
        let url = format!("{}/{}", location.mount, encode_path(&location.path));
        let answer = self.call(Method::GET, &url, None).await?;
        answer.require_success(&named)?;
        let raw: &RawValue = data(&answer, &named)?;
        Ok(SourceSecret { version: 0, data: secret_data(raw, &named)? })
    }
}

fn deleted(metadata: &VersionMetadata) -> PlatformFailure {
    let version = metadata.version;
    if !metadata.destroyed && metadata.deletion_time.is_empty() {
        let why = "a version without data that is not deleted".to_owned();
        return PlatformFailure::Garbage { why };
    }
    PlatformFailure::Deleted { version, destroyed: metadata.destroyed }
}

#[async_trait]
impl SecretSource for VaultClient {
    async fn read(
        &self,
        location: &SecretLocation,
        version: Option<u64>,
    ) -> Result<SourceSecret, PlatformError> {
        if self.settings.engine_version == 1 {
            return self.read_plain(location).await;
        }
        self.read_versioned(&location.mount, &location.path, version).await
    }

    async fn live_version(&self, location: &SecretLocation) -> Result<u64, PlatformError> {
        if self.settings.engine_version == 1 {
            return Ok(self.read_plain(location).await?.version);
        }
        let named = location.to_string();
        let metadata = self.read_metadata(location).await?;
        let version = metadata.current_version;
        match metadata.versions.get(&version.to_string()) {
            Some(state) if !self.is_live(state) => {
                failure(PlatformFailure::Deleted { version, destroyed: state.destroyed }, &named)
            }
            Some(_) => Ok(version),
            None => failure(PlatformFailure::Missing, &named),
        }
    }

    async fn live_versions(&self, location: &SecretLocation) -> Result<Vec<u64>, PlatformError> {
        if self.settings.engine_version == 1 {
            return Ok(vec![self.read_plain(location).await?.version]);
        }
        let metadata = self.read_metadata(location).await?;
        let mut live = Vec::new();
        for (number, _) in metadata.versions.iter().filter(|(_, state)| self.is_live(state)) {
            match number.parse() {
                Ok(number) => live.push(number),
                Err(_) => {
                    let why = "a version whose name is no number".to_owned();
                    return failure(PlatformFailure::Garbage { why }, &location.to_string());
                }
            }
        }
        live.sort_unstable();
        Ok(live)
    }
}

#[async_trait]
impl SecretTarget for VaultClient {
    fn numbers_versions(&self) -> bool {
        true
    }

    async fn read(&self, path: &str) -> Result<Option<TargetSecret>, PlatformError> {
        match self.read_versioned(&self.settings.mount, path, None).await {
            Ok(secret) => {
                Ok(Some(TargetSecret { version: secret.version.into(), data: secret.data }))
            }
            Err(error) if error.failure == PlatformFailure::Missing => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn write(
        &self,
        path: &str,
        secret: &SecretData,
        expected: &ExpectedVersion,
    ) -> Result<SecretVersion, PlatformError> {
        let mount = &self.settings.mount;
        let named = format!("{mount}/{path}");
        let cas = match expected {
            ExpectedVersion::Absent => 0,
            ExpectedVersion::Version(SecretVersion::Number(number)) => *number,
            ExpectedVersion::Version(SecretVersion::Text(_)) => {
                return failure(PlatformFailure::VersionConflict, &named);
            }
        };
        let before = format!("{{\"options\":{{\"cas\":{cas}}},\"data\":");
        let body = secret.to_json_within(&before, "}");
        let url = format!("{mount}/data/{}", encode_path(path));
        let answer = self.call(Method::POST, &url, Some(body)).await?;
        answer.require_success(&named)?;
        let written: WrittenVersion = data(&answer, &named)?;
        Ok(written.version.into())
    }
}
