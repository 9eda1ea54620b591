//! Copying the secrets of one workload: read, write, read back, compare.
//!
//! Owns that a repeated copy writes nothing: what is on the target already, with the same fingerprint, stays. Values
//! exist only inside these functions. Does not own the state of the workload (`migrate`).

use std::time::Duration;

use crate::domain::{
    HashiSecrets, NamespaceMapping, SmpSecrets, SourceReference, TargetReference, TrackedWorkload,
};
use crate::error::{Error, Result};
use crate::migration::MigrationCore;
use crate::monitor::MigrationStep;
use crate::platform::{PlatformError, PlatformFailure};
use crate::secret::SecretData;
use crate::source::SecretLocation;
use crate::target::{ExpectedVersion, TargetSecret};

/// Repeats of one request to a busy platform before the attempt counts as failed.
const REPEATS_MAX: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// A platform that asks for a longer pause gets a new attempt later instead of a worker that waits.
const PAUSE_MAX: Duration = Duration::from_secs(20);

/// One secret on its way.
pub(super) struct SecretOnTheWay {
    reference: SourceReference,
    source_path: String,
    target_path: String,
    data: SecretData,
    fingerprint: String,
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
            let secret = self.patiently(|| self.platforms.source.read(&location, None)).await?;
            let fingerprint = self.fingerprints.fingerprint(&secret.data);
            let mut reference = item.clone();
            reference.version = Some(secret.version.into());
            reference.fingerprint = Some(fingerprint.clone());
            read.push(SecretOnTheWay {
                reference,
                source_path: location.to_string(),
                target_path: mapping.target_path(&location.mount, &location.path),
                data: secret.data,
                fingerprint,
            });
        }
        Ok(read)
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
            self.report_step(MigrationStep::WritePath, false);
            items.push(TargetReference {
                path: secret.target_path.clone(),
                version,
                keys: secret.data.keys(),
                fingerprint: secret.fingerprint.clone(),
                source_path: secret.source_path.clone(),
            });
        }
        Ok(SmpSecrets { address: mapping.smp_address.clone(), items })
    }

    async fn write_path(
        &self,
        workload: &TrackedWorkload,
        secret: &SecretOnTheWay,
    ) -> Result<crate::domain::SecretVersion> {
        let path = &secret.target_path;
        let target = &self.platforms.target;
        let present = self.patiently(|| target.read(path)).await?;
        let Some(expected) = self.expected_version(workload, secret, present.as_ref())? else {
            // A worker before us wrote it, in this attempt or an earlier one: no second version.
            return present
                .map(|present| present.version)
                .ok_or_else(|| Error::internal(format!("{path} was there a moment ago")));
        };
        let written = self.patiently(|| target.write(path, &secret.data, &expected)).await;
        match written {
            Ok(version) => Ok(version),
            // The response of an earlier try was lost, or another worker was faster. The stored version decides.
            Err(error) if error.failure == PlatformFailure::VersionConflict => {
                match self.patiently(|| target.read(path)).await? {
                    Some(now) if self.fingerprints.fingerprint(&now.data) == secret.fingerprint => {
                        Ok(now.version)
                    }
                    _ => Err(error.into()),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// What a write must replace; `None` if nothing has to be written.
    fn expected_version(
        &self,
        workload: &TrackedWorkload,
        secret: &SecretOnTheWay,
        present: Option<&TargetSecret>,
    ) -> Result<Option<ExpectedVersion>> {
        let Some(present) = present else { return Ok(Some(ExpectedVersion::Absent)) };
        if self.fingerprints.fingerprint(&present.data) == secret.fingerprint {
            return Ok(None);
        }
        let ours = workload.smp_secrets.iter().flat_map(|secrets| &secrets.items);
        let is_ours = ours
            .filter(|item| item.path == secret.target_path)
            .any(|item| item.version == present.version);
        if is_ours || self.settings.overwrite {
            return Ok(Some(ExpectedVersion::Version(present.version.clone())));
        }
        let path = &secret.target_path;
        Err(Error::conflict(format!(
            "the target has other data at {path}, not written by this migration; remove it or set Migration:Overwrite"
        )))
    }

    /// Reads the target back and compares fingerprints.
    pub(super) async fn verify_target(
        &self,
        secrets: &[SecretOnTheWay],
        written: &SmpSecrets,
    ) -> Result<()> {
        for (secret, item) in secrets.iter().zip(&written.items) {
            let there = self.patiently(|| self.platforms.target.read(&item.path)).await?;
            let is_equal = there.as_ref().is_some_and(|there| {
                self.fingerprints.fingerprint(&there.data) == secret.fingerprint
            });
            if !is_equal {
                let path = &item.path;
                return Err(Error::conflict(format!(
                    "{path} does not have what was written to it"
                )));
            }
        }
        Ok(())
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
