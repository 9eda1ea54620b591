//! The metadata of a path, lists of paths, and the settings of the mount.

use std::collections::{BTreeMap, BTreeSet};

use client::{ItemBatch, Query};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::reply::{VaultRefusal, VaultReply, VaultResult};
use super::super::request::{VaultOperation, VaultRequest, duration_text, seconds};
use super::super::server::VaultCore;
use super::data::merge_into;
use super::document::{ROUNDS, StoredMount, StoredPath};

#[derive(Deserialize)]
struct ListedPath {
    path: String,
}

impl VaultCore {
    pub(super) async fn metadata(
        &self,
        request: &VaultRequest,
        mount: &StoredMount,
        path: &str,
    ) -> VaultResult<VaultReply> {
        match request.operation {
            VaultOperation::List => self.list(&mount.id, path).await,
            VaultOperation::Read => {
                let item = self.require_path(&mount.id, path).await?;
                Ok(VaultReply::Data(describe(&item.value)))
            }
            VaultOperation::Write | VaultOperation::Patch => {
                self.write_metadata(request, &mount.id, path).await
            }
            VaultOperation::Delete => self.delete_path(&mount.id, path).await,
        }
    }

    async fn write_metadata(
        &self,
        request: &VaultRequest,
        mount: &str,
        path: &str,
    ) -> VaultResult<VaultReply> {
        let body: Map<String, Value> = request.parse()?;
        let is_patch = request.operation == VaultOperation::Patch;
        for _ in 0..ROUNDS {
            let known = self.read_path(mount, path).await?;
            if is_patch && known.is_none() {
                return Err(VaultRefusal::nothing());
            }
            let now = self.now();
            let mut stored = match &known {
                Some(item) => item.value.clone(),
                None => StoredPath::new(mount, path, now),
            };
            apply(&mut stored, &body, is_patch)?;
            stored.updated_at = now;
            if self.commit(known.as_ref(), &stored, ItemBatch::new()).await? {
                return Ok(VaultReply::Nothing);
            }
        }
        Err(VaultRefusal::invalid("the path is written by others again and again"))
    }

    /// The names below a folder; folders end in `/`.
    async fn list(&self, mount: &str, folder: &str) -> VaultResult<VaultReply> {
        let prefix = match folder.trim_end_matches('/') {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        let query = Query::text("SELECT c.path FROM c WHERE STARTSWITH(c.path, @prefix)")
            .parameter("@prefix", prefix.as_str())
            .within(mount.into());
        let rows: Vec<ListedPath> = self.containers.secrets.query(&query).await?.value;
        let mut keys = BTreeSet::new();
        for row in rows {
            let Some(rest) = row.path.strip_prefix(&prefix) else { continue };
            keys.insert(match rest.split_once('/') {
                Some((folder, _)) => format!("{folder}/"),
                None => rest.to_owned(),
            });
        }
        if keys.is_empty() {
            return Err(VaultRefusal::nothing());
        }
        Ok(VaultReply::Data(json!({ "keys": keys })))
    }

    /// The settings of the mount.
    pub(super) async fn config(
        &self,
        request: &VaultRequest,
        mut mount: StoredMount,
    ) -> VaultResult<VaultReply> {
        match request.operation {
            VaultOperation::Read => Ok(VaultReply::Data(json!({
                "max_versions": mount.max_versions, "cas_required": mount.cas_required,
                "delete_version_after": duration_text(mount.delete_after_seconds),
            }))),
            VaultOperation::Write => {
                let body: Value = request.parse()?;
                if let Some(max) = body.get("max_versions").and_then(Value::as_u64) {
                    mount.max_versions = max;
                }
                if let Some(required) = body.get("cas_required").and_then(Value::as_bool) {
                    mount.cas_required = required;
                }
                if body.get("delete_version_after").is_some() {
                    mount.delete_after_seconds = seconds(body.get("delete_version_after"))?;
                }
                self.write_mount(&mount).await?;
                Ok(VaultReply::Nothing)
            }
            _ => Err(VaultRefusal::unsupported()),
        }
    }
}

fn apply(stored: &mut StoredPath, body: &Map<String, Value>, is_patch: bool) -> VaultResult<()> {
    let wrong = |name: &str| VaultRefusal::invalid(format!("'{name}' has a wrong type"));
    for (name, value) in body {
        match name.as_str() {
            "max_versions" => {
                let max = if value.is_null() { Some(0) } else { value.as_u64() };
                stored.max_versions = max.ok_or_else(|| wrong(name))?;
            }
            "cas_required" => {
                let required = if value.is_null() { Some(false) } else { value.as_bool() };
                stored.cas_required = required.ok_or_else(|| wrong(name))?;
            }
            "delete_version_after" => stored.delete_after_seconds = seconds(Some(value))?,
            "custom_metadata" => {
                let mut merged = match is_patch {
                    true => json!(stored.custom_metadata),
                    false => Value::Null,
                };
                merge_into(&mut merged, value);
                let parsed: Option<BTreeMap<String, String>> =
                    serde_json::from_value(merged).map_err(|_| wrong(name))?;
                stored.custom_metadata = parsed.filter(|metadata| !metadata.is_empty());
            }
            _ => {}
        }
    }
    Ok(())
}

fn describe(stored: &StoredPath) -> Value {
    let versions: BTreeMap<String, Value> = stored
        .versions
        .iter()
        .map(|(number, version)| (number.to_string(), version.describe()))
        .collect();
    let oldest = stored.versions.keys().next().copied().unwrap_or(0);
    json!({
        "cas_required": stored.cas_required, "created_time": stored.created_at,
        "current_version": stored.current_version, "custom_metadata": stored.custom_metadata,
        "delete_version_after": duration_text(stored.delete_after_seconds),
        "max_versions": stored.max_versions, "oldest_version": oldest,
        "updated_time": stored.updated_at, "versions": versions,
    })
}
