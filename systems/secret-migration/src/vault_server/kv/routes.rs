//! The routes of the key-value engine below its mount.

use super::super::reply::{VaultRefusal, VaultReply, VaultResult};
use super::super::request::{VaultOperation, VaultRequest};
use super::super::server::VaultCore;
use super::document::StoredMount;

/// A path below a mount: the part of the engine, and the path of the secret.
struct KvRoute<'a> {
    mount: StoredMount,
    part: &'a str,
    path: &'a str,
}

impl VaultCore {
    async fn route<'a>(&self, path: &'a str) -> VaultResult<KvRoute<'a>> {
        // The longest mount first: one may be below another.
        let mut mounts = self.mounts().await?;
        mounts.sort_by_key(|mount| std::cmp::Reverse(mount.id.len()));
        for mount in mounts {
            let rest = path.strip_prefix(&mount.id).and_then(|rest| rest.strip_prefix('/'));
            if let Some(rest) = rest {
                let (part, path) = rest.split_once('/').unwrap_or((rest, ""));
                return Ok(KvRoute { mount, part, path });
            }
        }
        Err(VaultRefusal::not_found(format!(
            "no handler for route \"{path}\". route entry not found."
        )))
    }

    pub(crate) async fn key_value(&self, request: &VaultRequest) -> VaultResult<VaultReply> {
        let KvRoute { mount, part, path } = self.route(&request.path).await?;
        let is_list = part == "metadata" && request.operation == VaultOperation::List;
        if part != "config" && !is_list {
            check_path(path)?;
        }
        match (part, request.operation) {
            ("data", VaultOperation::Read) => {
                self.read_data(&mount.id, path, request.number("version")?).await
            }
            ("data", VaultOperation::Write) => self.write_data(request, &mount, path).await,
            ("data", VaultOperation::Patch) => self.patch_data(request, &mount, path).await,
            ("data", VaultOperation::Delete) => self.delete_latest(&mount.id, path).await,
            ("delete", VaultOperation::Write) => {
                self.delete_versions(request, &mount.id, path).await
            }
            ("undelete", VaultOperation::Write) => {
                self.undelete_versions(request, &mount.id, path).await
            }
            ("destroy", VaultOperation::Write) => {
                self.destroy_versions(request, &mount.id, path).await
            }
            ("subkeys", VaultOperation::Read) => self.subkeys(request, &mount.id, path).await,
            ("metadata", _) => self.metadata(request, &mount, path).await,
            ("config", _) => self.config(request, mount).await,
            _ => Err(VaultRefusal::not_found("no handler for this route")),
        }
    }

    /// Whether a write changes something known, which needs another capability than something new.
    pub(crate) async fn find_known(&self, request: &VaultRequest) -> VaultResult<bool> {
        match self.route(&request.path).await {
            Ok(KvRoute { mount, part: "data" | "metadata", path }) => {
                Ok(self.read_path(&mount.id, path).await?.is_some())
            }
            _ => Ok(true),
        }
    }
}

fn check_path(path: &str) -> VaultResult<()> {
    let is_wrong = path.is_empty()
        || path.ends_with('/')
        || path.split('/').any(|part| part.is_empty() || part == "." || part == "..");
    if is_wrong || path.len() > 1_000 || path.chars().any(char::is_control) {
        return Err(VaultRefusal::invalid("the path of a secret is names with / between them"));
    }
    Ok(())
}
