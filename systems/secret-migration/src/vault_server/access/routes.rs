//! The routes below `auth/`, and the policies below `sys/`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::reply::{VaultRefusal, VaultReply, VaultResult};
use super::super::request::{VaultOperation, VaultRequest};
use super::super::server::VaultCore;
use super::policy::parse_policy;
use super::token::Granted;

const POLICY: &str = "policy";
/// Policies that the server itself defines.
const BUILT_IN: [&str; 2] = ["default", "root"];

#[derive(Clone, Debug, Serialize, Deserialize)]
struct StoredPolicy {
    id: String,
    kind: String,
    text: String,
}

impl VaultCore {
    /// `auth/...`.
    pub(in super::super) async fn auth(
        &self,
        request: &VaultRequest,
        route: &str,
        granted: &Granted,
    ) -> VaultResult<VaultReply> {
        match route.split_once('/') {
            Some(("token", route)) => self.token_routes(request, route, granted).await,
            Some(("approle", route)) => self.role_routes(request, route).await,
            _ => Err(VaultRefusal::not_found("no handler for this route")),
        }
    }

    pub(super) async fn policy_text(&self, name: &str) -> VaultResult<Option<String>> {
        if BUILT_IN.contains(&name) {
            return Ok(None);
        }
        Ok(self.read_access::<StoredPolicy>(POLICY, name).await?.map(|policy| policy.text))
    }

    /// `sys/policy...` and `sys/policies/acl...`; `name` is empty for all.
    pub(in super::super) async fn policy_routes(
        &self,
        request: &VaultRequest,
        name: &str,
    ) -> VaultResult<VaultReply> {
        match request.operation {
            VaultOperation::Read | VaultOperation::List if name.is_empty() => {
                let stored = self.list_access::<StoredPolicy>(POLICY).await?;
                let names = stored.into_iter().map(|policy| policy.id);
                let names: Vec<String> =
                    BUILT_IN.iter().map(|name| (*name).to_owned()).chain(names).collect();
                Ok(VaultReply::Data(json!({ "keys": names, "policies": names })))
            }
            VaultOperation::Read => {
                let text = self.policy_text(name).await?;
                let text = text.ok_or_else(VaultRefusal::nothing)?;
                Ok(VaultReply::Data(json!({ "name": name, "policy": text, "rules": text })))
            }
            VaultOperation::Write => {
                if BUILT_IN.contains(&name) {
                    return Err(VaultRefusal::invalid(format!("cannot update {name} policy")));
                }
                let body: Value = request.parse()?;
                let text = body.get("policy").or(body.get("rules")).and_then(Value::as_str);
                let text = text.ok_or_else(|| VaultRefusal::invalid("'policy' is missing"))?;
                parse_policy(text)?;
                let policy = StoredPolicy {
                    id: name.to_owned(),
                    kind: POLICY.to_owned(),
                    text: text.to_owned(),
                };
                self.write_access(POLICY, &policy).await?;
                Ok(VaultReply::Nothing)
            }
            VaultOperation::Delete => {
                self.delete_access(POLICY, name).await?;
                Ok(VaultReply::Nothing)
            }
            VaultOperation::List | VaultOperation::Patch => Err(VaultRefusal::unsupported()),
        }
    }
}
