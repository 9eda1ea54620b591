//! Copying the secrets of one workload: read, write, read back, compare.
//!
//! Owns that a repeated copy writes nothing: what is on the target already, with the same fingerprint, stays. Values
//! exist only inside these functions. Does not own the state of the workload (`migrate`), nor which versions of a
//! secret are still to be written (`history`).

use std::time::Duration;

use crate::domain::{
    HashiSecrets, NamespaceMapping, SecretVersion, SmpSecrets, SourceReference, TargetReference,
    TrackedWorkload,
};
use crate::error::{Error, Result};
use crate::migration::MigrationCore;
use crate::monitor::MigrationStep;
use crate::platform::{PlatformError, PlatformFailure};
use crate::secret::SecretData;
use crate::source::SecretLocation;
use crate::target::ExpectedVersion;

/// Repeats of one request to a busy platform before the attempt counts as failed.
const REPEATS_MAX: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// A platform that asks for a longer pause gets a new attempt later instead of a worker that waits.
const PAUSE_MAX: Duration = Duration::from_secs(20);

/// One secret on its way.
pub(super) struct SecretOnTheWay {
    pub(super) reference: SourceReference,
    source_path: String,
    pub(super) target_path: String,
    /// The live versions before the newest one, oldest first; none unless all versions are copied.
    pub(super) earlier: Vec<VersionOnTheWay>,
    pub(super) newest: VersionOnTheWay,
}

/// One version of it.
pub(super) struct VersionOnTheWay {
    pub(super) number: u64,
    data: SecretData,
    pub(super) fingerprint: String,
}

impl SecretOnTheWay {
    /// Its versions, oldest first.
    pub(super) fn versions(&self) -> impl DoubleEndedIterator<Item = &VersionOnTheWay> {
        self.earlier.iter().chain(std::iter::once(&self.newest))
    }
}

impl MigrationCore {
    /// Reads every path of the workload.
    pub(super) async fn read_source(
        &self,
        workload: &TrackedWorkload,
        mapping: &NamespaceMapping,
    ) -> Result<Vec<SecretOnTheWay>> {
        let secrets = &workload.hashi_secrets;
        let mut read = Vec::with_capacity(secrets.items.len());
        for item in &secrets.items {
            let mount = secrets.mount_of(item).to_owned();
            let location = SecretLocation { mount, path: item.path.clone() };
            let newest = self.read_version(&location, None).await?;
            let earlier = match self.settings.all_versions {
                true => self.read_earlier(&location, newest.number).await?,
                false => Vec::new(),
            };
            let mut reference = item.clone();
            reference.version = Some(newest.number.into());
            reference.fingerprint = Some(newest.fingerprint.clone());
            read.push(SecretOnTheWay {
                reference,
                source_path: location.to_string(),
                target_path: mapping.target_path(&location.mount, &location.path),
                earlier,
                newest,
            });
        }
        Ok(read)
    }

    async fn read_version(
        &self,
        location: &SecretLocation,
        number: Option<u64>,
    ) -> std::result::Result<VersionOnTheWay, PlatformError> {
        let secret = self.patiently(|| self.platforms.source.read(location, number)).await?;
        let fingerprint = self.fingerprints.fingerprint(&secret.data);
        Ok(VersionOnTheWay { number: secret.version, data: secret.data, fingerprint })
    }

    /// The live versions before the newest one, oldest first.
    async fn read_earlier(
        &self,
        location: &SecretLocation,
        newest: u64,
    ) -> Result<Vec<VersionOnTheWay>> {
        let live = self.patiently(|| self.platforms.source.live_versions(location)).await?;
        let mut earlier = Vec::new();
        for number in live.into_iter().filter(|number| *number < newest) {
            match self.read_version(location, Some(number)).await {
                Ok(version) => earlier.push(version),
                // Deleted since the versions were listed.
                Err(error) if error.is_gone() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(earlier)
    }

    /// Writes what is not on the target yet.
    pub(super) async fn write_target(
        &self,
        workload: &TrackedWorkload,
        mapping: &NamespaceMapping,
        secrets: &[SecretOnTheWay],
    ) -> Result<SmpSecrets> {
        let mut items = Vec::with_capacity(secrets.len());
        for secret in secrets {
            let version = self.write_path(workload, secret).await?;
            items.push(TargetReference {
                path: secret.target_path.clone(),
                version,
                keys: secret.newest.data.keys(),
                fingerprint: secret.newest.fingerprint.clone(),
                source_path: secret.source_path.clone(),
            });
        }
        Ok(SmpSecrets { address: mapping.smp_address.clone(), items })
    }

    /// Writes the versions that are not on the target yet, and returns the newest one there.
    async fn write_path(
        &self,
        workload: &TrackedWorkload,
        secret: &SecretOnTheWay,
    ) -> Result<SecretVersion> {
        let path = &secret.target_path;
        let present = self.patiently(|| self.platforms.target.read(path)).await?;
        let written = match &present {
            Some(present) => self.written_versions(workload, secret, present)?,
            None => 0,
        };
        let mut newest = present.map(|present| present.version);
        let last = secret.earlier.len();
        for (place, version) in secret.versions().enumerate().skip(written) {
            let expected = newest.map_or(ExpectedVersion::Absent, ExpectedVersion::Version);
            newest = Some(self.write_version(path, version, &expected).await?);
            self.report_step(MigrationStep::WritePath, false);
            // The newest one is verified with those of the other paths; an earlier one can only be read now.
            if place < last {
                self.verify_version(path, version).await?;
            }
        }
        // A worker before us wrote all of them, in this attempt or an earlier one: no second version.
        newest.ok_or_else(|| Error::internal(format!("no version of {path} was written")))
    }

    async fn write_version(
        &self,
        path: &str,
        version: &VersionOnTheWay,
        expected: &ExpectedVersion,
    ) -> Result<SecretVersion> {
        let target = &self.platforms.target;
        match self.patiently(|| target.write(path, &version.data, expected)).await {
            Ok(written) => Ok(written),
            // The response of an earlier try was lost, or another worker was faster. The stored version decides.
            Err(error) if error.failure == PlatformFailure::VersionConflict => {
                match self.patiently(|| target.read(path)).await? {
                    Some(now)
                        if self.fingerprints.fingerprint(&now.data) == version.fingerprint =>
                    {
                        Ok(now.version)
                    }
                    _ => Err(error.into()),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Reads the target back and compares fingerprints.
    pub(super) async fn verify_target(
        &self,
        secrets: &[SecretOnTheWay],
        written: &SmpSecrets,
    ) -> Result<()> {
        for (secret, item) in secrets.iter().zip(&written.items) {
            self.verify_version(&item.path, &secret.newest).await?;
        }
        Ok(())
    }

    async fn verify_version(&self, path: &str, version: &VersionOnTheWay) -> Result<()> {
        let there = self.patiently(|| self.platforms.target.read(path)).await?;
        match there {
            Some(there) if self.fingerprints.fingerprint(&there.data) == version.fingerprint => {
                Ok(())
            }
            _ => Err(Error::conflict(format!("{path} does not have what was written to it"))),
        }
    }

    /// The references to what was read, with versions and fingerprints.
    pub(super) fn read_references(
        &self,
        workload: &TrackedWorkload,
        secrets: &[SecretOnTheWay],
    ) -> HashiSecrets {
        HashiSecrets {
            items: secrets.iter().map(|secret| secret.reference.clone()).collect(),
            fingerprint_key: Some(self.fingerprints.id().to_owned()),
            ..workload.hashi_secrets.clone()
        }
    }

    /// Makes a request to a platform, again after a pause while it is busy.
    pub(crate) async fn patiently<T, F>(
        &self,
        mut request: impl FnMut() -> F,
    ) -> std::result::Result<T, PlatformError>
    where
        F: Future<Output = std::result::Result<T, PlatformError>>,
    {
        for repeat in 0.. {
            match request().await {
                Err(error) if error.is_transient() && repeat < REPEATS_MAX => {
                    let asked = match &error.failure {
                        PlatformFailure::Busy { retry_after } => *retry_after,
                        _ => None,
                    };
                    let pause = asked.unwrap_or(FIRST_PAUSE * (1 << repeat));
                    if pause > PAUSE_MAX {
                        return Err(error);
                    }
                    self.counters.count_back_off();
                    self.environment.sleep(pause).await;
                }
                other => return other,
            }
        }
        request().await
    }
}
