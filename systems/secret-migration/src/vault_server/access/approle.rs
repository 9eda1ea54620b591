//! AppRoles: a role id and a secret id give a token with the policies of the role.

use std::time::Duration;

use client::Query;
use ring::digest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::UtcTimestamp;

use super::super::reply::{VaultRefusal, VaultReply, VaultResult};
use super::super::request::{VaultOperation, VaultRequest, seconds};
use super::super::server::VaultCore;
use super::token::{NewToken, names};

const ROLE: &str = "role";
const SECRET_ID: &str = "secret-id";

/// A role.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredRole {
    id: String,
    kind: String,
    role_id: String,
    policies: Vec<String>,
    token_seconds: u64,
    token_max_seconds: u64,
    secret_id_seconds: u64,
    secret_id_uses: u64,
}

/// A secret id, by its hash.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredSecretId {
    id: String,
    kind: String,
    role: String,
    accessor: String,
    /// `None` if it does not end.
    expires_at: Option<UtcTimestamp>,
    /// `None` if it is not limited.
    uses_left: Option<u64>,
}

fn hash(text: &str) -> String {
    let hash = digest::digest(&digest::SHA256, text.as_bytes());
    hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl VaultCore {
    /// `auth/approle/role...`.
    pub(super) async fn role_routes(
        &self,
        request: &VaultRequest,
        route: &str,
    ) -> VaultResult<VaultReply> {
        let parts: Vec<&str> = route.split('/').filter(|part| !part.is_empty()).collect();
        match (parts.as_slice(), request.operation) {
            (["role"], VaultOperation::List) => {
                let roles = self.list_access::<StoredRole>(ROLE).await?;
                if roles.is_empty() {
                    return Err(VaultRefusal::nothing());
                }
                let keys: Vec<String> = roles.into_iter().map(|role| role.id).collect();
                Ok(VaultReply::Data(json!({ "keys": keys })))
            }
            (["role", name], VaultOperation::Write) => self.write_role(request, name).await,
            (["role", name], VaultOperation::Read) => {
                let role = self.role(name).await?;
                Ok(VaultReply::Data(json!({
                    "token_policies": role.policies, "policies": role.policies,
                    "token_ttl": role.token_seconds, "token_max_ttl": role.token_max_seconds,
                    "secret_id_ttl": role.secret_id_seconds,
                    "secret_id_num_uses": role.secret_id_uses, "bind_secret_id": true,
                })))
            }
            (["role", name], VaultOperation::Delete) => {
                self.delete_access(ROLE, name).await?;
                Ok(VaultReply::Nothing)
            }
            (["role", name, "role-id"], VaultOperation::Read) => {
                Ok(VaultReply::Data(json!({ "role_id": self.role(name).await?.role_id })))
            }
            (["role", name, "role-id"], VaultOperation::Write) => {
                let body: Value = request.parse()?;
                let role_id = body.get("role_id").and_then(Value::as_str).unwrap_or_default();
                if role_id.is_empty() {
                    return Err(VaultRefusal::invalid("missing role_id"));
                }
                let role = StoredRole { role_id: role_id.to_owned(), ..self.role(name).await? };
                self.write_access(ROLE, &role).await?;
                Ok(VaultReply::Nothing)
            }
            (["role", name, "secret-id"], VaultOperation::Write) => self.new_secret_id(name).await,
            _ => Err(VaultRefusal::not_found("no handler for this route")),
        }
    }

    async fn role(&self, name: &str) -> VaultResult<StoredRole> {
        self.read_access(ROLE, name).await?.ok_or_else(VaultRefusal::nothing)
    }

    async fn write_role(&self, request: &VaultRequest, name: &str) -> VaultResult<VaultReply> {
        let body: Value = request.parse()?;
        let known: Option<StoredRole> = self.read_access(ROLE, name).await?;
        let policies = names(body.get("token_policies").or(body.get("policies")));
        if body.get("bind_secret_id") == Some(&Value::Bool(false)) {
            return Err(VaultRefusal::invalid("a role without secret ids is not supported"));
        }
        let role = StoredRole {
            id: name.to_owned(),
            kind: ROLE.to_owned(),
            role_id: match known {
                Some(known) => known.role_id,
                None => self.random_id()?,
            },
            policies,
            token_seconds: seconds(body.get("token_ttl"))?,
            token_max_seconds: seconds(body.get("token_max_ttl"))?,
            secret_id_seconds: seconds(body.get("secret_id_ttl"))?,
            secret_id_uses: body.get("secret_id_num_uses").and_then(Value::as_u64).unwrap_or(0),
        };
        self.write_access(ROLE, &role).await?;
        Ok(VaultReply::Nothing)
    }

    async fn new_secret_id(&self, name: &str) -> VaultResult<VaultReply> {
        let role = self.role(name).await?;
        let text = self.random_id()?;
        let limited = |number: u64| (number > 0).then_some(number);
        let end = limited(role.secret_id_seconds)
            .map(|seconds| self.now().after(Duration::from_secs(seconds)));
        let stored = StoredSecretId {
            id: hash(&text),
            kind: SECRET_ID.to_owned(),
            role: role.id,
            accessor: self.random_id()?,
            expires_at: end,
            uses_left: limited(role.secret_id_uses),
        };
        self.write_access(SECRET_ID, &stored).await?;
        Ok(VaultReply::Data(json!({
            "secret_id": text, "secret_id_accessor": stored.accessor,
            "secret_id_ttl": role.secret_id_seconds, "secret_id_num_uses": role.secret_id_uses,
        })))
    }

    /// `auth/approle/login`: needs no token.
    pub(in super::super) async fn log_in(&self, request: &VaultRequest) -> VaultResult<VaultReply> {
        let body: Value = request.parse()?;
        let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
        let query = Query::text("SELECT * FROM c WHERE c.roleId = @id")
            .parameter("@id", text("role_id"))
            .within(ROLE.into());
        let mut roles: Vec<StoredRole> = self.containers.access.query(&query).await?.value;
        let wrong = || VaultRefusal::invalid("invalid role or secret ID");
        let role = roles.pop().ok_or_else(wrong)?;
        self.use_secret_id(&role.id, text("secret_id")).await?;
        let metadata = json!({ "role_name": role.id });
        let new = NewToken {
            display_name: "approle".to_owned(),
            policies: role.policies,
            lease_seconds: role.token_seconds,
            lease_max_seconds: role.token_max_seconds,
            renewable: true,
            metadata,
        };
        self.grant(new).await
    }

    /// Takes one use of a secret id. The conditional write sees to it that a last use is taken once.
    async fn use_secret_id(&self, role: &str, text: &str) -> VaultResult<()> {
        let wrong = || VaultRefusal::invalid("invalid role or secret ID");
        let access = &self.containers.access;
        let now = self.now();
        loop {
            let read = access.read::<StoredSecretId>(&SECRET_ID.into(), &hash(text)).await;
            let mut item = match read {
                Ok(read) => read.value,
                Err(error) if error.kind() == client::ErrorKind::NotFound => return Err(wrong()),
                Err(error) => return Err(error.into()),
            };
            let is_over = item.value.expires_at.is_some_and(|end| end <= now);
            if item.value.role != role || is_over {
                return Err(wrong());
            }
            let Some(left) = item.value.uses_left else { return Ok(()) };
            let saved = if left <= 1 {
                access.delete(&SECRET_ID.into(), &item.value.id, item.etag().as_ref()).await.err()
            } else {
                item.value.uses_left = Some(left - 1);
                access.save(&SECRET_ID.into(), &item).await.err()
            };
            match saved {
                None => return Ok(()),
                Some(error) if error.kind() == client::ErrorKind::Precondition => {}
                Some(error) if error.kind() == client::ErrorKind::NotFound => return Err(wrong()),
                Some(error) => return Err(error.into()),
            }
        }
    }
}
