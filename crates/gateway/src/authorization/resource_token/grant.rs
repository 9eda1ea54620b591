//! What a permission allows, and its text as a token.
//!
//! Owns the payload and its signature. Does not own the question whether a request is allowed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use model::{Json, Object, ResourceId};

use crate::authorization::account_key::AccountKey;

/// What a token allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResourceGrant {
    /// Resource id of the container.
    pub(crate) container: String,
    pub(crate) granted: Granted,
    pub(crate) may_write: bool,
    /// One logical partition as JSON text, or all.
    pub(crate) partition_key: Option<String>,
}

/// What inside its container a token is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Granted {
    /// All items and scripts.
    Everything,
    /// One item, as the permission names it.
    Item(String),
    /// One script, by resource id.
    Script(String),
}

/// The permission a token was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PermissionAddress {
    pub(crate) user: ResourceId,
    pub(crate) id: String,
    pub(crate) rid: ResourceId,
}

/// A token that we signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signed {
    pub(super) grant: ResourceGrant,
    pub(super) permission: PermissionAddress,
    pub(super) expires_seconds: u64,
}

impl ResourceGrant {
    /// A grant of nothing: no container has an empty resource id.
    pub(crate) fn nothing() -> Self {
        Self {
            container: String::new(),
            granted: Granted::Everything,
            may_write: false,
            partition_key: None,
        }
    }

    /// Whether two grants are about the same thing, however much they allow.
    pub(crate) fn is_on_the_same_as(&self, other: &Self) -> bool {
        let place = |grant: &Self| {
            (grant.container.clone(), grant.granted.clone(), grant.partition_key.clone())
        };
        place(self) == place(other)
    }

    pub(crate) fn to_token(
        &self,
        key: &AccountKey,
        permission: &PermissionAddress,
        expires_seconds: u64,
    ) -> String {
        let mut payload = Object::new();
        payload.insert("container", self.container.as_str());
        match &self.granted {
            Granted::Everything => {}
            Granted::Item(item) => payload.insert("item", item.as_str()),
            Granted::Script(script) => payload.insert("script", script.as_str()),
        }
        payload.insert("write", self.may_write);
        if let Some(partition_key) = &self.partition_key {
            payload.insert("partitionKey", partition_key.as_str());
        }
        payload.insert("user", permission.user.to_string());
        payload.insert("permission", permission.id.as_str());
        payload.insert("permissionRid", permission.rid.to_string());
        payload.insert("expires", i64::try_from(expires_seconds).unwrap_or(i64::MAX));
        let payload = URL_SAFE.encode(Json::Object(payload).to_bytes());
        let signature = URL_SAFE.encode(key.sign(payload.as_bytes()));
        format!("type=resource&ver=1&sig={signature};{payload};")
    }
}

impl Signed {
    /// Reads a token that we signed.
    pub(super) fn parse(text: &str, key: &AccountKey) -> Option<Self> {
        let (signature, rest) = text.split_once(';')?;
        let payload = rest.split(';').next()?;
        let signature = URL_SAFE.decode(signature).ok()?;
        if !key.verify(payload.as_bytes(), &signature) {
            return None;
        }
        let json = Json::parse(&URL_SAFE.decode(payload).ok()?).ok()?;
        let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
        let rid = |name: &str| text(name).and_then(|text| ResourceId::parse(&text).ok());
        let granted = match (text("item"), text("script")) {
            (None, None) => Granted::Everything,
            (Some(item), None) => Granted::Item(item),
            (None, Some(script)) => Granted::Script(script),
            _ => return None,
        };
        let grant = ResourceGrant {
            container: text("container")?,
            granted,
            may_write: json.get("write")?.as_bool()?,
            partition_key: text("partitionKey"),
        };
        let (user, id, rid) = (rid("user")?, text("permission")?, rid("permissionRid")?);
        let expires_seconds = u64::try_from(json.get("expires")?.as_i64()?).ok()?;
        Some(Self { grant, permission: PermissionAddress { user, id, rid }, expires_seconds })
    }
}
