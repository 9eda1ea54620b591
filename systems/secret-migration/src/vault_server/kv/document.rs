//! The stored forms: a path with its versions, and the sealed value of each version.
//!
//! Both are in the partition of their mount and are written in one transaction, so there is no version without a value
//! and no value without a version.

use std::collections::BTreeMap;

use client::{ErrorKind, Item, ItemBatch};
use ring::digest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::domain::UtcTimestamp;
use crate::envelope::SealedText;

use super::super::reply::{VaultRefusal, VaultResult};
use super::super::server::VaultCore;

/// As a Vault has it.
const VERSIONS_MAX: u64 = 10;
/// Attempts of one write among others of the same path.
pub(super) const ROUNDS: usize = 20;

/// A path of a mount, with the state of its versions.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredPath {
    pub(super) id: String,
    pub(super) mount: String,
    pub(super) path: String,
    pub(super) current_version: u64,
    /// 0 for that of the mount.
    pub(super) max_versions: u64,
    pub(super) cas_required: bool,
    /// Seconds after which a version is deleted; 0 for never.
    pub(super) delete_after_seconds: u64,
    pub(super) custom_metadata: Option<BTreeMap<String, String>>,
    pub(super) created_at: UtcTimestamp,
    pub(super) updated_at: UtcTimestamp,
    pub(super) versions: BTreeMap<u64, StoredVersion>,
}

/// The state of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredVersion {
    pub(super) created_at: UtcTimestamp,
    /// May lie in the future.
    pub(super) deletion_at: Option<UtcTimestamp>,
    pub(super) destroyed: bool,
}

/// The value of a version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredValue {
    pub(super) id: String,
    pub(super) mount: String,
    pub(super) value: SealedText,
}

/// The settings of a mount.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct StoredMount {
    pub(in super::super) id: String,
    pub(in super::super) description: String,
    pub(in super::super) max_versions: u64,
    pub(in super::super) cas_required: bool,
    pub(in super::super) delete_after_seconds: u64,
}

/// The id of a path: paths have characters and lengths that ids must not have.
fn path_hash(path: &str) -> String {
    let hash = digest::digest(&digest::SHA256, path.as_bytes());
    hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn path_id(path: &str) -> String {
    format!("p-{}", path_hash(path))
}

pub(super) fn value_id(path: &str, version: u64) -> String {
    format!("v-{}-{version}", path_hash(path))
}

impl StoredVersion {
    pub(super) fn is_deleted(&self, now: UtcTimestamp) -> bool {
        self.destroyed || self.deletion_at.is_some_and(|at| at <= now)
    }

    pub(super) fn describe(&self) -> Value {
        let deletion = self.deletion_at.map(|at| at.to_string()).unwrap_or_default();
        json!({
            "created_time": self.created_at, "deletion_time": deletion, "destroyed": self.destroyed,
        })
    }
}

impl StoredPath {
    pub(super) fn new(mount: &str, path: &str, now: UtcTimestamp) -> Self {
        Self {
            id: path_id(path),
            mount: mount.to_owned(),
            path: path.to_owned(),
            current_version: 0,
            max_versions: 0,
            cas_required: false,
            delete_after_seconds: 0,
            custom_metadata: None,
            created_at: now,
            updated_at: now,
            versions: BTreeMap::new(),
        }
    }

    /// How many versions are kept.
    pub(super) fn versions_max(&self, mount: &StoredMount) -> u64 {
        let set = [self.max_versions, mount.max_versions].into_iter().find(|max| *max > 0);
        set.unwrap_or(VERSIONS_MAX)
    }

    /// The metadata of a version, as the answer of a read or write has it.
    pub(super) fn describe_version(&self, number: u64) -> Value {
        let version = self.versions.get(&number);
        let mut described = version.map(StoredVersion::describe).unwrap_or_else(|| json!({}));
        if let Some(members) = described.as_object_mut() {
            members.insert("custom_metadata".to_owned(), json!(self.custom_metadata));
            members.insert("version".to_owned(), json!(number));
        }
        described
    }
}

impl VaultCore {
    pub(super) async fn read_path(
        &self,
        mount: &str,
        path: &str,
    ) -> VaultResult<Option<Item<StoredPath>>> {
        match self.containers.secrets.read(&mount.into(), &path_id(path)).await {
            Ok(read) => Ok(Some(read.value)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) async fn require_path(
        &self,
        mount: &str,
        path: &str,
    ) -> VaultResult<Item<StoredPath>> {
        self.read_path(mount, path).await?.ok_or_else(VaultRefusal::nothing)
    }

    /// The value of a version. It must be there: the state of the version says so.
    pub(super) async fn open_value(
        &self,
        path: &StoredPath,
        version: u64,
    ) -> VaultResult<Zeroizing<Vec<u8>>> {
        let id = value_id(&path.path, version);
        let mount = path.mount.as_str().into();
        let read = self.containers.secrets.read::<StoredValue>(&mount, &id).await?;
        let context = format!("{}/{}#{version}", path.mount, path.path);
        Ok(self.keys.open(&context, &read.value.value.value)?)
    }

    pub(super) fn seal_value(
        &self,
        path: &StoredPath,
        version: u64,
        text: &[u8],
    ) -> VaultResult<StoredValue> {
        let context = format!("{}/{}#{version}", path.mount, path.path);
        Ok(StoredValue {
            id: value_id(&path.path, version),
            mount: path.mount.clone(),
            value: self.keys.seal(&context, text)?,
        })
    }

    /// Writes a path with whatever else the batch has; `false` if somebody else wrote the path meanwhile.
    pub(super) async fn commit(
        &self,
        known: Option<&Item<StoredPath>>,
        changed: &StoredPath,
        batch: ItemBatch,
    ) -> VaultResult<bool> {
        let batch = match known {
            None => batch.create(changed)?,
            Some(item) => batch.replace(changed, item.etag().as_ref())?,
        };
        match self.containers.secrets.batch(&changed.mount.as_str().into(), batch).await {
            Ok(_) => Ok(true),
            Err(error) => match error.kind() {
                ErrorKind::Precondition | ErrorKind::Conflict | ErrorKind::NotFound => Ok(false),
                _ => Err(error.into()),
            },
        }
    }

    /// Changes a path until no other writer is in between.
    pub(super) async fn change_path(
        &self,
        mount: &str,
        path: &str,
        change: impl Fn(&mut StoredPath, ItemBatch) -> VaultResult<ItemBatch> + Send + Sync,
    ) -> VaultResult<StoredPath> {
        for _ in 0..ROUNDS {
            let item = self.require_path(mount, path).await?;
            let mut changed = item.value.clone();
            let batch = change(&mut changed, ItemBatch::new())?;
            if self.commit(Some(&item), &changed, batch).await? {
                return Ok(changed);
            }
        }
        Err(VaultRefusal::invalid("the path is written by others again and again"))
    }
}
