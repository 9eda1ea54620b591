//! Deleting, undeleting and destroying versions, and a path with all of them.

use client::ItemBatch;
use serde::Deserialize;
use serde_json::Value;

use super::super::reply::{VaultRefusal, VaultReply, VaultResult};
use super::super::request::VaultRequest;
use super::super::server::VaultCore;
use super::document::{StoredPath, path_id, value_id};

/// Operations of one transaction; the account takes up to 100.
const BATCH_MAX: usize = 90;

#[derive(Deserialize)]
struct VersionsBody {
    #[serde(default)]
    versions: Vec<Value>,
}

fn numbers(request: &VaultRequest) -> VaultResult<Vec<u64>> {
    let body: VersionsBody = request.parse()?;
    // Clients send numbers, and texts of numbers.
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
    let numbers: Option<Vec<u64>> = body.versions.iter().map(number).collect();
    numbers
        .filter(|numbers| !numbers.is_empty())
        .ok_or_else(|| VaultRefusal::invalid("no version number provided"))
}

impl VaultCore {
    /// Deletes the newest version; it can be undeleted.
    pub(super) async fn delete_latest(&self, mount: &str, path: &str) -> VaultResult<VaultReply> {
        let now = self.now();
        let changed = self.change_path(mount, path, |stored, batch| {
            let newest = stored.current_version;
            mark_deleted(stored, newest, now);
            Ok(batch)
        });
        ignore_missing(changed.await)
    }

    pub(super) async fn delete_versions(
        &self,
        request: &VaultRequest,
        mount: &str,
        path: &str,
    ) -> VaultResult<VaultReply> {
        let (numbers, now) = (numbers(request)?, self.now());
        let changed = self.change_path(mount, path, |stored, batch| {
            for number in &numbers {
                mark_deleted(stored, *number, now);
            }
            Ok(batch)
        });
        ignore_missing(changed.await)
    }

    pub(super) async fn undelete_versions(
        &self,
        request: &VaultRequest,
        mount: &str,
        path: &str,
    ) -> VaultResult<VaultReply> {
        let numbers = numbers(request)?;
        let changed = self.change_path(mount, path, |stored, batch| {
            for number in &numbers {
                if let Some(state) = stored.versions.get_mut(number).filter(|one| !one.destroyed) {
                    state.deletion_at = None;
                }
            }
            Ok(batch)
        });
        ignore_missing(changed.await)
    }

    /// Destroys versions: their values are gone for good, in the same transaction.
    pub(super) async fn destroy_versions(
        &self,
        request: &VaultRequest,
        mount: &str,
        path: &str,
    ) -> VaultResult<VaultReply> {
        let mut numbers = numbers(request)?;
        numbers.sort_unstable();
        numbers.dedup();
        for some in numbers.chunks(BATCH_MAX) {
            let changed = self.change_path(mount, path, |stored, mut batch| {
                for number in some {
                    let state = stored.versions.get_mut(number).filter(|one| !one.destroyed);
                    if let Some(state) = state {
                        state.destroyed = true;
                        batch = batch.delete(&value_id(path, *number), None)?;
                    }
                }
                Ok(batch)
            });
            ignore_missing(changed.await)?;
        }
        Ok(VaultReply::Nothing)
    }

    /// Deletes a path with all versions. The values go first: a crash in between leaves a path whose values are
    /// destroyed, not values that nobody finds.
    pub(super) async fn delete_path(&self, mount: &str, path: &str) -> VaultResult<VaultReply> {
        let Some(item) = self.read_path(mount, path).await? else {
            return Ok(VaultReply::Nothing);
        };
        let there = item.value.versions.iter().filter(|(_, state)| !state.destroyed);
        let there: Vec<u64> = there.map(|(number, _)| *number).collect();
        for some in there.chunks(BATCH_MAX) {
            let changed = self.change_path(mount, path, |stored, mut batch| {
                for number in some {
                    let state = stored.versions.get_mut(number).filter(|one| !one.destroyed);
                    if let Some(state) = state {
                        state.destroyed = true;
                        batch = batch.delete(&value_id(path, *number), None)?;
                    }
                }
                Ok(batch)
            });
            ignore_missing(changed.await)?;
        }
        let batch = ItemBatch::new().delete(&path_id(path), None)?;
        match self.containers.secrets.batch(&mount.into(), batch).await {
            Err(error) if error.kind() != client::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(VaultReply::Nothing),
        }
    }
}

fn mark_deleted(stored: &mut StoredPath, number: u64, now: crate::domain::UtcTimestamp) {
    if let Some(state) = stored.versions.get_mut(&number).filter(|one| !one.is_deleted(now)) {
        state.deletion_at = Some(now);
    }
}

/// A Vault answers 204 for a path that is not there.
fn ignore_missing(changed: VaultResult<StoredPath>) -> VaultResult<VaultReply> {
    match changed {
        Ok(_) => Ok(VaultReply::Nothing),
        Err(refusal) if refusal.is_nothing() => Ok(VaultReply::Nothing),
        Err(refusal) => Err(refusal),
    }
}
