//! The text of a resource token: `type=resource&ver=1&sig=<signature>;<payload>;`.
//!
//! Owns the payload, which is base64 of JSON, and its signature by the account key. Does not own what a grant allows.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use model::{Json, Object, ResourceId};

use super::grant::{GrantScope, ResourceGrant};
use crate::authorization::account_key::AccountKey;

/// The permission that a token was created from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PermissionAddress {
    pub(crate) user: ResourceId,
    pub(crate) id: String,
    pub(crate) rid: ResourceId,
}

/// A token whose signature has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResourceToken {
    pub(super) grant: ResourceGrant,
    pub(super) permission: PermissionAddress,
    pub(super) expires_seconds: u64,
}

impl ResourceGrant {
    /// Creates a token.
    pub(crate) fn to_token(
        &self,
        key: &AccountKey,
        permission: &PermissionAddress,
        expires_seconds: u64,
    ) -> String {
        let mut payload = Object::new();
        payload.insert("container", self.container.as_str());
        match &self.scope {
            GrantScope::Container => {}
            GrantScope::Item(item) => payload.insert("item", item.as_str()),
            GrantScope::ItemRid(item) => payload.insert("itemRid", item.as_str()),
            GrantScope::Script(script) => payload.insert("script", script.as_str()),
        }
        payload.insert("write", self.may_write);
        if let Some(partition_key) = &self.partition_key {
            payload.insert("partitionKey", partition_key.as_str());
        }
        payload.insert("user", permission.user.to_string());
        payload.insert("permission", permission.id.as_str());
        payload.insert("permissionRid", permission.rid.to_string());
        payload.insert("expires", i64::try_from(expires_seconds).unwrap_or(i64::MAX));
        // URL-safe, because tokens travel in headers that clients percent-encode differently.
        let payload = URL_SAFE.encode(Json::Object(payload).to_bytes());
        let signature = URL_SAFE.encode(key.sign(payload.as_bytes()));
        format!("type=resource&ver=1&sig={signature};{payload};")
    }
}

impl ResourceToken {
    /// Parses a token. Returns `None` if it is malformed or not signed by the key.
    pub(super) fn parse(text: &str, key: &AccountKey) -> Option<Self> {
        let (signature, rest) = text.split_once(';')?;
        let payload = rest.split(';').next()?;
        let signature = URL_SAFE.decode(signature).ok()?;
        // Checked before the payload is decoded: nothing of an unsigned token is interpreted.
        if !key.verify(payload.as_bytes(), &signature) {
            return None;
        }
        let json = Json::parse(&URL_SAFE.decode(payload).ok()?).ok()?;
        let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
        let rid = |name: &str| text(name).and_then(|text| ResourceId::parse(&text).ok());
        let scope = match (text("item"), text("itemRid"), text("script")) {
            (None, None, None) => GrantScope::Container,
            (Some(item), None, None) => GrantScope::Item(item),
            (None, Some(item), None) => GrantScope::ItemRid(item),
            (None, None, Some(script)) => GrantScope::Script(script),
            // Two would be ambiguous; no token of ours has them.
            _ => return None,
        };
        let grant = ResourceGrant {
            container: text("container")?,
            scope,
            may_write: json.get("write")?.as_bool()?,
            partition_key: text("partitionKey"),
        };
        let (user, id, rid) = (rid("user")?, text("permission")?, rid("permissionRid")?);
        let expires_seconds = u64::try_from(json.get("expires")?.as_i64()?).ok()?;
        Some(Self { grant, permission: PermissionAddress { user, id, rid }, expires_seconds })
    }
}

/// For fuzzing: a payload that we have signed is refused or read.
#[cfg(any(test, fuzzing))]
pub(crate) fn check_signed(bytes: &[u8]) {
    let key = AccountKey::emulator();
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = ResourceToken::parse(text, &key);
    }
    let payload = URL_SAFE.encode(bytes);
    let signature = URL_SAFE.encode(key.sign(payload.as_bytes()));
    let _ = ResourceToken::parse(&format!("{signature};{payload};"), &key);
}
