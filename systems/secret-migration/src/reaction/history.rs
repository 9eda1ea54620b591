//! Which versions of a secret are on the target already.
//!
//! Owns the answer for a copy that was interrupted, repeated, or follows an earlier one. Does not own reading or writing
//! (`copy`).

use crate::domain::{SecretVersion, TrackedWorkload};
use crate::error::{Error, Result};
use crate::migration::MigrationCore;
use crate::target::TargetSecret;

use super::copy::SecretOnTheWay;

impl MigrationCore {
    /// How many versions of the secret, from the oldest one, need not be written.
    ///
    /// # Errors
    /// `Conflict` if the target has something that this migration did not write, and must not be overwritten.
    pub(super) fn written_versions(
        &self,
        workload: &TrackedWorkload,
        secret: &SecretOnTheWay,
        present: &TargetSecret,
    ) -> Result<usize> {
        let fingerprint = self.fingerprints.fingerprint(&present.data);
        let recorded = Recorded::of(workload, secret);
        if let Some(written) = recorded.written_since(secret, &present.version, &fingerprint) {
            return Ok(written);
        }
        let versions = secret.versions().enumerate();
        let equal = versions.filter(|(_, version)| version.fingerprint == fingerprint);
        if let Some((place, _)) = equal.last() {
            return Ok(place + 1);
        }
        let is_ours = recorded.target.as_ref() == Some(&present.version);
        if is_ours || self.settings.overwrite {
            return Ok(0);
        }
        let path = &secret.target_path;
        Err(Error::conflict(format!(
            "the target has other data at {path}, not written by this migration; remove it or set Migration:Overwrite"
        )))
    }
}

/// What the last completed copy has recorded.
#[derive(Default)]
struct Recorded {
    source: u64,
    target: Option<SecretVersion>,
}

impl Recorded {
    fn of(workload: &TrackedWorkload, secret: &SecretOnTheWay) -> Self {
        let copied = workload.smp_secrets.iter().flat_map(|secrets| &secrets.items);
        let Some(copied) = copied.into_iter().find(|item| item.path == secret.target_path) else {
            return Self::default();
        };
        let mut items = workload.hashi_secrets.items.iter();
        let item = items.find(|item| {
            item.path == secret.reference.path && item.mount == secret.reference.mount
        });
        let source = match item.and_then(|item| item.version.as_ref()) {
            Some(SecretVersion::Number(number)) => *number,
            _ => 0,
        };
        Self { source, target: Some(copied.version.clone()) }
    }

    /// The number of versions that need not be written, by counting: every version that was written since the record
    /// has increased the number on the target by one. Two versions of a secret can be equal, so that a fingerprint
    /// alone does not say where an interrupted copy has ended. `None` if the count and the fingerprint disagree, or if
    /// there is only one version.
    fn written_since(
        &self,
        secret: &SecretOnTheWay,
        present: &SecretVersion,
        fingerprint: &str,
    ) -> Option<usize> {
        if secret.earlier.is_empty() {
            return None;
        }
        let (SecretVersion::Number(present), before) = (present, self.target.as_ref()) else {
            return None;
        };
        let before = match before {
            None => 0,
            Some(SecretVersion::Number(before)) => *before,
            Some(SecretVersion::Text(_)) => return None,
        };
        let known = secret.versions().filter(|version| version.number <= self.source).count();
        let written = usize::try_from(present.checked_sub(before)?).ok()?;
        if written == 0 {
            return Some(known);
        }
        let place = known.checked_add(written)?;
        let last = secret.versions().nth(place.checked_sub(1)?)?;
        (last.fingerprint == fingerprint).then_some(place)
    }
}
