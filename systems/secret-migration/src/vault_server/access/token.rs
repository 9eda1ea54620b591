//! Tokens: stored by their hash, with policies and an end.

use std::time::Duration;

use ring::digest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::UtcTimestamp;

use super::super::reply::{VaultRefusal, VaultReply, VaultResult};
use super::super::request::{VaultOperation, VaultRequest, seconds};
use super::super::server::VaultCore;
use super::policy::{AccessPolicy, VaultCapability, allows, parse_policy};

pub(super) const TOKEN: &str = "token";
const ROOT: &str = "root";
/// As a Vault has it: 32 days.
const LEASE_SECONDS: u64 = 2_764_800;

/// What every token may do with itself.
const DEFAULT_POLICY: &str = r#"
path "auth/token/lookup-self" { capabilities = ["read", "update", "create"] }
path "auth/token/renew-self" { capabilities = ["update", "create"] }
path "auth/token/revoke-self" { capabilities = ["update", "create"] }
"#;

/// A stored token. Its text is nowhere.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredToken {
    id: String,
    kind: String,
    accessor: String,
    display_name: String,
    policies: Vec<String>,
    created_at: UtcTimestamp,
    expires_at: UtcTimestamp,
    /// Renewals do not go beyond this time.
    latest_end_at: UtcTimestamp,
    lease_seconds: u64,
    renewable: bool,
    /// The store forgets it after its end.
    ttl: u64,
}

/// Who asks, and what they may do.
pub(in super::super) struct Granted {
    /// `None` for the root token.
    token: Option<StoredToken>,
    policies: Vec<AccessPolicy>,
}

/// How a token is made.
pub(super) struct NewToken {
    pub(super) display_name: String,
    pub(super) policies: Vec<String>,
    pub(super) lease_seconds: u64,
    pub(super) lease_max_seconds: u64,
    pub(super) renewable: bool,
    pub(super) metadata: Value,
}

impl Granted {
    pub(in super::super) fn is_root(&self) -> bool {
        self.token.is_none()
    }

    pub(in super::super) fn allows(&self, path: &str, needed: VaultCapability) -> bool {
        self.is_root() || allows(&self.policies, path, needed)
    }
}

fn hash(token: &str) -> String {
    let hash = digest::digest(&digest::SHA256, token.as_bytes());
    hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl VaultCore {
    /// Who has this token.
    pub(in super::super) async fn granted(&self, token: Option<&str>) -> VaultResult<Granted> {
        let Some(text) = token.filter(|text| !text.is_empty()) else {
            return Err(VaultRefusal::denied());
        };
        if self.root_token.matches(text) {
            return Ok(Granted { token: None, policies: Vec::new() });
        }
        let stored: Option<StoredToken> = self.read_access(TOKEN, &hash(text)).await?;
        let stored = stored.filter(|stored| stored.expires_at > self.now());
        let stored = stored.ok_or_else(VaultRefusal::denied)?;
        if stored.policies.iter().any(|name| name == ROOT) {
            return Ok(Granted { token: None, policies: Vec::new() });
        }
        let mut policies = vec![parse_policy(DEFAULT_POLICY)?];
        for name in &stored.policies {
            if let Some(text) = self.policy_text(name).await? {
                policies.push(parse_policy(&text)?);
            }
        }
        Ok(Granted { token: Some(stored), policies })
    }

    /// Makes a token; the answer is the only place that has its text.
    pub(super) async fn grant(&self, new: NewToken) -> VaultResult<VaultReply> {
        let now = self.now();
        let text = format!("hvs.{}", self.random_text(24)?);
        let lease = |seconds: u64| if seconds == 0 { LEASE_SECONDS } else { seconds };
        let lease_max = lease(new.lease_max_seconds);
        let lease_seconds = lease(new.lease_seconds).min(lease_max);
        let mut policies = new.policies;
        if !policies.iter().any(|name| name == "default" || name == ROOT) {
            policies.insert(0, "default".to_owned());
        }
        let stored = StoredToken {
            id: hash(&text),
            kind: TOKEN.to_owned(),
            accessor: self.random_text(12)?,
            display_name: new.display_name,
            policies,
            created_at: now,
            expires_at: now.after(Duration::from_secs(lease_seconds)),
            latest_end_at: now.after(Duration::from_secs(lease_max)),
            lease_seconds,
            renewable: new.renewable,
            ttl: lease_seconds.max(1),
        };
        self.write_access(TOKEN, &stored).await?;
        Ok(VaultReply::Grant(stored.grant(&text, lease_seconds, &new.metadata)))
    }

    /// `auth/token/...`.
    pub(super) async fn token_routes(
        &self,
        request: &VaultRequest,
        route: &str,
        granted: &Granted,
    ) -> VaultResult<VaultReply> {
        let text = request.token.as_deref().unwrap_or_default();
        match (route, request.operation) {
            ("create", VaultOperation::Write) => self.create_token(request, granted).await,
            ("lookup-self", VaultOperation::Read | VaultOperation::Write) => {
                Ok(VaultReply::Data(self.describe(granted)))
            }
            ("renew-self", VaultOperation::Write) => match &granted.token {
                Some(stored) => self.renew(request, stored.clone(), text).await,
                None => {
                    let auth = json!({
                        "client_token": text, "policies": [ROOT], "token_policies": [ROOT],
                        "lease_duration": 0, "renewable": false, "metadata": null,
                    });
                    Ok(VaultReply::Grant(auth))
                }
            },
            ("revoke-self", VaultOperation::Write) => {
                if granted.is_root() {
                    return Err(VaultRefusal::invalid("the root token of the settings stays"));
                }
                self.delete_access(TOKEN, &hash(text)).await?;
                Ok(VaultReply::Nothing)
            }
            ("lookup" | "revoke", VaultOperation::Write) => self.other_token(request, route).await,
            _ => Err(VaultRefusal::not_found("no handler for this route")),
        }
    }

    async fn create_token(
        &self,
        request: &VaultRequest,
        granted: &Granted,
    ) -> VaultResult<VaultReply> {
        let body: Value = request.parse()?;
        let policies = names(body.get("policies"));
        // Nobody can give away more than they have.
        let own = |name: &String| match &granted.token {
            None => true,
            Some(token) => token.policies.contains(name),
        };
        if !policies.iter().all(own) {
            return Err(VaultRefusal::denied());
        }
        let policies = match &granted.token {
            Some(token) if policies.is_empty() => token.policies.clone(),
            None if policies.is_empty() => vec![ROOT.to_owned()],
            _ => policies,
        };
        let name = body.get("display_name").and_then(Value::as_str).unwrap_or("token");
        let new = NewToken {
            display_name: name.to_owned(),
            policies,
            lease_seconds: seconds(body.get("ttl"))?,
            lease_max_seconds: seconds(body.get("explicit_max_ttl"))?,
            renewable: body.get("renewable").and_then(Value::as_bool).unwrap_or(true),
            metadata: body.get("meta").cloned().unwrap_or_default(),
        };
        self.grant(new).await
    }

    async fn other_token(&self, request: &VaultRequest, route: &str) -> VaultResult<VaultReply> {
        let body: Value = request.parse()?;
        let id = hash(body.get("token").and_then(Value::as_str).unwrap_or_default());
        if route == "revoke" {
            self.delete_access(TOKEN, &id).await?;
            return Ok(VaultReply::Nothing);
        }
        let token = self.read_access::<StoredToken>(TOKEN, &id).await?;
        let token = token.filter(|token| token.expires_at > self.now());
        let token = token.ok_or_else(|| VaultRefusal::invalid("bad token"))?;
        Ok(VaultReply::Data(self.describe(&Granted { token: Some(token), policies: Vec::new() })))
    }

    async fn renew(
        &self,
        request: &VaultRequest,
        mut stored: StoredToken,
        text: &str,
    ) -> VaultResult<VaultReply> {
        if !stored.renewable {
            return Err(VaultRefusal::invalid("lease is not renewable"));
        }
        let body: Value = request.parse()?;
        let asked = match seconds(body.get("increment"))? {
            0 => stored.lease_seconds,
            increment => increment,
        };
        let now = self.now();
        stored.expires_at = now.after(Duration::from_secs(asked)).min(stored.latest_end_at);
        let left = stored.expires_at.since(now).as_secs();
        stored.ttl = left.max(1);
        self.write_access(TOKEN, &stored).await?;
        Ok(VaultReply::Grant(stored.grant(text, left, &Value::Null)))
    }

    fn describe(&self, granted: &Granted) -> Value {
        match &granted.token {
            None => json!({
                "accessor": "", "display_name": ROOT, "policies": [ROOT], "ttl": 0, "num_uses": 0,
                "expire_time": null, "renewable": false, "path": "auth/token/root", "orphan": true,
                "type": "service", "meta": null,
            }),
            Some(token) => json!({
                "accessor": token.accessor, "display_name": token.display_name,
                "policies": token.policies, "ttl": token.expires_at.since(self.now()).as_secs(),
                "creation_ttl": token.lease_seconds, "num_uses": 0, "orphan": true,
                "expire_time": token.expires_at, "renewable": token.renewable, "type": "service",
                "issue_time": token.created_at, "meta": null,
            }),
        }
    }
}

impl StoredToken {
    fn grant(&self, text: &str, lease: u64, metadata: &Value) -> Value {
        json!({
            "client_token": text, "accessor": self.accessor, "policies": self.policies,
            "token_policies": self.policies, "metadata": metadata, "lease_duration": lease,
            "renewable": self.renewable, "entity_id": "", "token_type": "service", "orphan": true,
        })
    }
}

/// Names as a list, or as text with commas.
pub(super) fn names(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(names)) => {
            names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
        }
        Some(Value::String(names)) => {
            let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
            names.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
