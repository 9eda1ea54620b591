//! The stored form of attached resources.
//!
//! Owns their records and their keys by owner, kind and id. The resource id of a parent is a prefix of those of its
//! children, so that one key prefix finds everything below a resource.

use model::{Json, ResourceId};
use storage::KeyRange;

use super::attached::{AttachedKind, AttachedResource};
use super::record::{head, read_head};
use super::store::{CatalogStore, CatalogWrite};
use crate::error::{Error, Result};
use crate::key_layout::{CATALOG, CATALOG_SHARD, catalog_key, catalog_prefix};

// The kinds 1 to 4 are in `store`.
const ATTACHED: u8 = 5;

impl CatalogWrite {
    pub(crate) fn put_attached(&mut self, kind: AttachedKind, resource: &AttachedResource) {
        let key = key(&resource.owner, kind, &resource.id);
        self.set.put(CATALOG, key, encode(resource));
    }

    pub(crate) fn remove_attached(&mut self, kind: AttachedKind, resource: &AttachedResource) {
        self.set.remove(CATALOG, key(&resource.owner, kind, &resource.id));
    }
}

impl CatalogStore {
    pub(crate) async fn attached(
        &self,
        owner: &ResourceId,
        kind: AttachedKind,
        id: &str,
    ) -> Result<Option<AttachedResource>> {
        let stored = self.store.get(CATALOG_SHARD, CATALOG, &key(owner, kind, id)).await?;
        stored.map(|bytes| decode(*owner, &bytes)).transpose()
    }

    pub(crate) async fn all_attached(
        &self,
        owner: &ResourceId,
        kind: AttachedKind,
    ) -> Result<Vec<AttachedResource>> {
        let prefix = catalog_key(ATTACHED, &[&hex(owner), kind.name()]);
        let entries = self.entries(KeyRange::prefix(&prefix)).await?;
        entries.iter().map(|(_, value)| decode(*owner, value)).collect()
    }

    /// Removes all attached resources of a resource and of its children.
    pub(crate) async fn remove_attached_below(
        &self,
        owner: &ResourceId,
        write: &mut CatalogWrite,
    ) -> Result<()> {
        let prefix = catalog_prefix(ATTACHED, &hex(owner));
        // The prefix has no terminator, so it covers the owner itself and everything whose rid begins with its rid.
        for (key, _) in self.entries(KeyRange::prefix(&prefix)).await? {
            write.set.remove(CATALOG, key);
        }
        Ok(())
    }
}

fn key(owner: &ResourceId, kind: AttachedKind, id: &str) -> storage::StorageKey {
    catalog_key(ATTACHED, &[&hex(owner), kind.name(), id])
}

/// Hexadecimal and not base64, because here the text of a parent is a prefix of the text of its children.
fn hex(rid: &ResourceId) -> String {
    rid.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn encode(resource: &AttachedResource) -> Vec<u8> {
    let mut record = head(&resource.rid, resource.etag, resource.timestamp, None);
    record.insert("id", resource.id.as_str());
    record.insert("content", resource.content.clone());
    Json::Object(record).to_bytes()
}

fn decode(owner: ResourceId, bytes: &[u8]) -> Result<AttachedResource> {
    let damaged = || Error::corrupt("an attached resource of the catalog is damaged");
    let record = Json::parse(bytes).map_err(|_| damaged())?;
    let (rid, etag, timestamp, _) = read_head(&record)?;
    let id = record.get("id").and_then(Json::as_str).ok_or_else(damaged)?.to_owned();
    let content = record.get("content").and_then(Json::as_object).ok_or_else(damaged)?.clone();
    Ok(AttachedResource { id, rid, owner, content, etag, timestamp })
}
