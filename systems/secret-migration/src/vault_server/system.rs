//! The routes below `sys/`: state, mounts, policies.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::kv::StoredMount;
use super::reply::{VaultRefusal, VaultReply, VaultResult};
use super::request::{VaultOperation, VaultRequest};
use super::server::VaultCore;

const MOUNT: &str = "mount";
/// Exists from the start, as in the development mode of a Vault.
const FIRST_MOUNT: &str = "secret";

impl VaultCore {
    /// The state that anybody may see.
    pub(super) fn public_state(&self, path: &str) -> VaultResult<VaultReply> {
        let version = env!("CARGO_PKG_VERSION");
        let now = self.now().ms() / 1_000;
        let body = match path {
            "sys/init" => json!({ "initialized": true }),
            "sys/leader" => json!({ "ha_enabled": false, "is_self": true, "leader_address": "" }),
            "sys/health" => json!({
                "initialized": true, "sealed": false, "standby": false, "version": version,
                "performance_standby": false, "server_time_utc": now, "cluster_name": "planisphere",
            }),
            _ => json!({
                "type": "envelope", "initialized": true, "sealed": false, "t": 1, "n": 1,
                "progress": 0, "version": version, "storage_type": "planisphere",
            }),
        };
        Ok(VaultReply::Plain(StatusCode::OK, body))
    }

    /// `sys/...`.
    pub(super) async fn system(
        &self,
        request: &VaultRequest,
        route: &str,
    ) -> VaultResult<VaultReply> {
        let route = route.trim_end_matches('/');
        if let Some(name) = route.strip_prefix("policies/acl").or(route.strip_prefix("policy")) {
            return self.policy_routes(request, name.trim_start_matches('/')).await;
        }
        if let Some(path) = route.strip_prefix("internal/ui/mounts/") {
            let mounts = self.mounts().await?;
            let found = mounts
                .iter()
                .find(|mount| path == mount.id || path.starts_with(&format!("{}/", mount.id)));
            let found = found.ok_or_else(VaultRefusal::denied)?;
            let mut described = describe(found);
            if let Some(members) = described.as_object_mut() {
                members.insert("path".to_owned(), json!(format!("{}/", found.id)));
            }
            return Ok(VaultReply::Data(described));
        }
        match (route, request.operation) {
            ("mounts", VaultOperation::Read) => {
                let mounts = self.mounts().await?;
                let mounts: serde_json::Map<String, Value> = mounts
                    .iter()
                    .map(|mount| (format!("{}/", mount.id), describe(mount)))
                    .collect();
                Ok(VaultReply::Data(Value::Object(mounts)))
            }
            ("auth", VaultOperation::Read) => Ok(VaultReply::Data(json!({
                "token/": { "type": "token" }, "approle/": { "type": "approle" },
            }))),
            ("auth/approle", VaultOperation::Write) => {
                Err(VaultRefusal::invalid("path is already in use at approle/"))
            }
            _ => match (route.strip_prefix("mounts/"), request.operation) {
                (Some(mount), VaultOperation::Write) => self.add_mount(request, mount).await,
                _ => Err(VaultRefusal::not_found("no handler for this route")),
            },
        }
    }

    async fn add_mount(&self, request: &VaultRequest, name: &str) -> VaultResult<VaultReply> {
        let body: Value = request.parse()?;
        let text = |value: Option<&Value>| match value {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let version = text(body.get("options").and_then(|options| options.get("version")));
        let is_kv = match text(body.get("type")).as_str() {
            "kv-v2" => true,
            "kv" => version == "2",
            _ => false,
        };
        if !is_kv {
            return Err(VaultRefusal::invalid("only the engine kv in version 2 is supported"));
        }
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_/".contains(c);
        let reserved = ["sys", "auth", ""].contains(&name.split('/').next().unwrap_or_default());
        if reserved || name.len() > 200 || !name.chars().all(fits) || name.contains("//") {
            return Err(VaultRefusal::invalid("no name for a mount"));
        }
        if self.mounts().await?.iter().any(|mount| mount.id == name) {
            return Err(VaultRefusal::invalid(format!("path is already in use at {name}/")));
        }
        let description = text(body.get("description"));
        let mount = StoredMount { id: name.to_owned(), description, ..StoredMount::default() };
        self.write_mount(&mount).await?;
        Ok(VaultReply::Nothing)
    }

    pub(super) async fn mounts(&self) -> VaultResult<Vec<StoredMount>> {
        let mut mounts = self.list_access::<MountDocument>(MOUNT).await?;
        if !mounts.iter().any(|document| document.mount.id == FIRST_MOUNT) {
            let mount = StoredMount { id: FIRST_MOUNT.to_owned(), ..StoredMount::default() };
            mounts.push(MountDocument::new(&mount));
        }
        Ok(mounts.into_iter().map(|document| document.mount).collect())
    }

    pub(super) async fn write_mount(&self, mount: &StoredMount) -> VaultResult<()> {
        self.write_access(MOUNT, &MountDocument::new(mount)).await
    }
}

/// A mount as it is stored: its name may have a slash, an id must not.
#[derive(serde::Serialize, serde::Deserialize)]
struct MountDocument {
    id: String,
    kind: String,
    mount: StoredMount,
}

impl MountDocument {
    fn new(mount: &StoredMount) -> Self {
        let id = mount.id.replace('/', ":");
        Self { id, kind: MOUNT.to_owned(), mount: mount.clone() }
    }
}

fn describe(mount: &StoredMount) -> Value {
    json!({
        "type": "kv", "description": mount.description, "options": { "version": "2" },
        "local": false, "seal_wrap": false, "external_entropy_access": false, "accessor": "",
        "config": { "default_lease_ttl": 0, "max_lease_ttl": 0 },
    })
}
