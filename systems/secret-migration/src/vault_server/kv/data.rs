//! Reading, writing and patching the data of a path.

use client::{Item, ItemBatch};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::time::Duration;
use zeroize::Zeroizing;

use crate::secret::wipe_json;

use super::super::reply::{VaultRefusal, VaultReply, VaultResult};
use super::super::request::VaultRequest;
use super::super::server::VaultCore;
use super::document::{ROUNDS, StoredMount, StoredPath, StoredVersion, value_id};

/// The body of a write, with the values still in its text.
#[derive(Deserialize)]
pub(super) struct DataBody<'a> {
    #[serde(default)]
    options: Option<CasOptions>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct CasOptions {
    #[serde(default)]
    cas: Option<u64>,
}

impl VaultCore {
    pub(super) async fn read_data(
        &self,
        mount: &str,
        path: &str,
        version: Option<u64>,
    ) -> VaultResult<VaultReply> {
        let item = self.require_path(mount, path).await?;
        let stored = &item.value;
        let number = version.filter(|number| *number > 0).unwrap_or(stored.current_version);
        let state = stored.versions.get(&number).ok_or_else(VaultRefusal::nothing)?;
        let metadata = stored.describe_version(number);
        if state.is_deleted(self.now()) {
            let data = serde_json::json!({ "data": null, "metadata": metadata });
            return Err(VaultRefusal::gone(data));
        }
        let value = self.open_value(stored, number).await?;
        let after = format!(",\"metadata\":{metadata}}}");
        let before = b"{\"data\":";
        let length = before.len() + value.len() + after.len();
        let mut text = Zeroizing::new(Vec::with_capacity(length));
        text.extend_from_slice(before);
        text.extend_from_slice(&value);
        text.extend_from_slice(after.as_bytes());
        Ok(VaultReply::Secret(text))
    }

    pub(super) async fn write_data(
        &self,
        request: &VaultRequest,
        mount: &StoredMount,
        path: &str,
    ) -> VaultResult<VaultReply> {
        let body: DataBody<'_> = request.parse()?;
        let data = body.data.filter(|data| data.get().starts_with('{'));
        let data = data.ok_or_else(|| VaultRefusal::invalid("no data provided"))?;
        let cas = body.options.and_then(|options| options.cas);
        for _ in 0..ROUNDS {
            let known = self.read_path(&mount.id, path).await?;
            let known = known.as_ref();
            if let Some(reply) =
                self.add_version(mount, path, known, cas, data.get().as_bytes()).await?
            {
                return Ok(reply);
            }
        }
        Err(VaultRefusal::invalid("the path is written by others again and again"))
    }

    pub(super) async fn patch_data(
        &self,
        request: &VaultRequest,
        mount: &StoredMount,
        path: &str,
    ) -> VaultResult<VaultReply> {
        let body: DataBody<'_> = request.parse()?;
        let data = body.data.ok_or_else(|| VaultRefusal::invalid("no data provided"))?;
        let cas = body.options.and_then(|options| options.cas);
        for _ in 0..ROUNDS {
            let item = self.require_path(&mount.id, path).await?;
            let number = item.value.current_version;
            let state = item.value.versions.get(&number).ok_or_else(VaultRefusal::nothing)?;
            if state.is_deleted(self.now()) {
                let metadata = item.value.describe_version(number);
                let data = serde_json::json!({ "data": null, "metadata": metadata });
                return Err(VaultRefusal::gone(data));
            }
            let before = self.open_value(&item.value, number).await?;
            let merged = merge(&before, data.get())?;
            if let Some(reply) = self.add_version(mount, path, Some(&item), cas, &merged).await? {
                return Ok(reply);
            }
        }
        Err(VaultRefusal::invalid("the path is written by others again and again"))
    }

    /// Adds a version; `None` if somebody else wrote meanwhile.
    async fn add_version(
        &self,
        mount: &StoredMount,
        path: &str,
        known: Option<&Item<StoredPath>>,
        cas: Option<u64>,
        text: &[u8],
    ) -> VaultResult<Option<VaultReply>> {
        let now = self.now();
        let mut stored = match known {
            Some(item) => item.value.clone(),
            None => StoredPath::new(&mount.id, path, now),
        };
        let is_required = stored.cas_required || mount.cas_required;
        match cas {
            Some(cas) if cas != stored.current_version => return Err(VaultRefusal::cas_mismatch()),
            None if is_required => {
                let error = "check-and-set parameter required for this call";
                return Err(VaultRefusal::invalid(error));
            }
            _ => {}
        }
        let number = stored.current_version + 1;
        let after = [stored.delete_after_seconds, mount.delete_after_seconds];
        let after = after.into_iter().find(|seconds| *seconds > 0).map(Duration::from_secs);
        let deletion_at = after.map(|after| now.after(after));
        stored.current_version = number;
        stored.updated_at = now;
        let version = StoredVersion { created_at: now, deletion_at, destroyed: false };
        stored.versions.insert(number, version);
        let mut batch = ItemBatch::new().create(&self.seal_value(&stored, number, text)?)?;
        let kept = stored.versions_max(mount);
        while stored.versions.len() as u64 > kept {
            let Some((oldest, state)) = stored.versions.pop_first() else { break };
            if !state.destroyed {
                batch = batch.delete(&value_id(path, oldest), None)?;
            }
        }
        let is_written = self.commit(known, &stored, batch).await?;
        let reply = || VaultReply::Data(stored.describe_version(number));
        Ok(is_written.then(reply))
    }
}

/// Merges as RFC 7396 says.
fn merge(before: &[u8], patch: &str) -> VaultResult<Zeroizing<Vec<u8>>> {
    let mut target: Value = serde_json::from_slice(before).unwrap_or_default();
    let mut patch: Value = serde_json::from_str(patch).unwrap_or_default();
    if !patch.is_object() {
        return Err(VaultRefusal::invalid("no data provided"));
    }
    merge_into(&mut target, &patch);
    let mut merged = Zeroizing::new(Vec::with_capacity(before.len() * 2 + 4096));
    let _ = serde_json::to_writer(&mut *merged, &target);
    wipe_json(&mut target);
    wipe_json(&mut patch);
    Ok(merged)
}

pub(super) fn merge_into(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(serde_json::Map::new());
    }
    let Some(members) = target.as_object_mut() else { return };
    for (name, value) in patch {
        if value.is_null() {
            members.remove(name);
        } else {
            merge_into(members.entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_merges_removes_and_adds() {
        let before = br#"{"a":"1","b":{"x":1,"y":2},"c":3}"#;
        let merged = merge(before, r#"{"a":"2","b":{"x":null,"z":3},"c":null,"d":[1]}"#).unwrap();
        let merged: Value = serde_json::from_slice(&merged).unwrap();
        assert_eq!(merged, serde_json::json!({"a": "2", "b": {"y": 2, "z": 3}, "d": [1]}));
        assert!(merge(before, "[]").is_err());
    }
}
