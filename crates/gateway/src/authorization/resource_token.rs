//! Resource tokens: a permission in a text that we signed ourselves.
//!
//! Owns the text and what a token allows. Nothing is stored: the signature and the expiry are all there is to check.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use hyper::Method;
use model::{Json, Object, PartitionKey};

use super::account_key::AccountKey;
use crate::exchange::{Failure, Outcome, Request, header};
use crate::gateway::Gateway;
use crate::route::{ContainerRoute, Path, Route};

/// What a token allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResourceGrant {
    /// Resource id of the container.
    pub(crate) container: String,
    /// One item of it, or all.
    pub(crate) item: Option<String>,
    pub(crate) may_write: bool,
    /// One logical partition as JSON text, or all.
    pub(crate) partition_key: Option<String>,
    pub(crate) expires_seconds: u64,
}

impl ResourceGrant {
    /// A grant of nothing.
    pub(crate) fn nothing() -> Self {
        Self {
            container: String::new(),
            item: None,
            may_write: false,
            partition_key: None,
            expires_seconds: 0,
        }
    }

    pub(crate) fn to_token(&self, key: &AccountKey) -> String {
        let mut payload = Object::new();
        payload.insert("container", self.container.as_str());
        if let Some(item) = &self.item {
            payload.insert("item", item.as_str());
        }
        payload.insert("write", self.may_write);
        if let Some(partition_key) = &self.partition_key {
            payload.insert("partitionKey", partition_key.as_str());
        }
        payload.insert("expires", i64::try_from(self.expires_seconds).unwrap_or(i64::MAX));
        let payload = URL_SAFE.encode(Json::Object(payload).to_bytes());
        let signature = URL_SAFE.encode(key.sign(payload.as_bytes()));
        format!("type=resource&ver=1&sig={signature};{payload};")
    }

    /// Reads a token that we signed.
    fn from_token(text: &str, key: &AccountKey) -> Option<Self> {
        let (signature, rest) = text.split_once(';')?;
        let payload = rest.split(';').next()?;
        let signature = URL_SAFE.decode(signature).ok()?;
        if !key.verify(payload.as_bytes(), &signature) {
            return None;
        }
        let json = Json::parse(&URL_SAFE.decode(payload).ok()?).ok()?;
        let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(Self {
            container: text("container")?,
            item: text("item"),
            may_write: json.get("write")?.as_bool()?,
            partition_key: text("partitionKey"),
            expires_seconds: u64::try_from(json.get("expires")?.as_i64()?).ok()?,
        })
    }
}

/// Refuses a request that its token does not allow.
pub(crate) fn authorize(
    gateway: &Gateway,
    request: &Request,
    path: &Path,
    token: &str,
) -> Outcome<()> {
    let forbidden = |why: &str| Failure::forbidden(format!("The resource token {why}."));
    let grant = ResourceGrant::from_token(token, &gateway.settings().key)
        .ok_or_else(|| forbidden("is not one of this account"))?;
    if grant.expires_seconds <= gateway.engine().environment().now().seconds().0 {
        return Err(forbidden("has expired; read the permission again"));
    }
    let (database, container, inner) = match path.route() {
        Some(Route::Account) => return Ok(()),
        Some(Route::Container(database, container, inner)) => (database, container, inner),
        _ => return Err(forbidden("allows only what is in its container")),
    };
    let address = gateway.engine().resolve_container(database, container)?;
    if address.rid.to_string() != grant.container {
        return Err(forbidden("is for another container"));
    }
    match (&grant.item, inner) {
        (_, ContainerRoute::Itself | ContainerRoute::PartitionKeyRanges)
            if request.method == Method::GET =>
        {
            return Ok(());
        }
        (None, ContainerRoute::Items | ContainerRoute::Item(_)) => {}
        (None, ContainerRoute::PartitionKeyDelete) => {}
        (Some(item), ContainerRoute::Item(id)) if item == id => {}
        _ => return Err(forbidden("does not allow this resource")),
    }
    if !grant.may_write && !is_read(request) {
        return Err(forbidden("allows reading only"));
    }
    check_partition_key(request, &grant)
}

fn is_read(request: &Request) -> bool {
    let is_question = request.is_query() || request.flag(&header::IS_QUERY_PLAN);
    // A batch may write, whatever else its headers say.
    let is_question = is_question && !request.flag(&header::IS_BATCH);
    request.method == Method::GET || (request.method == Method::POST && is_question)
}

fn check_partition_key(request: &Request, grant: &ResourceGrant) -> Outcome<()> {
    let Some(text) = &grant.partition_key else { return Ok(()) };
    let allowed = PartitionKey::parse(text)?;
    // A plan says nothing about data.
    if request.flag(&header::IS_QUERY_PLAN) || request.partition_key()? == Some(allowed) {
        return Ok(());
    }
    Err(Failure::forbidden("The resource token is for another partition key."))
}
