//! From a permission to what it grants.
//!
//! Owns which resources a permission may name. Does not own storing permissions.

use engine::Engine;
use model::{Json, Object, PartitionKey};

use super::grant::{GrantScope, ResourceGrant};
use crate::http::{ApiError, ApiResult};
use crate::route::{ContainerRoute, RequestPath, Route, parse_item_rid};

impl ResourceGrant {
    /// Reads what a permission grants.
    pub(crate) async fn from_permission(engine: &Engine, content: &Object) -> ApiResult<Self> {
        let mode = content.get("permissionMode").and_then(Json::as_str).unwrap_or_default();
        let may_write = match mode.to_ascii_lowercase().as_str() {
            "all" => true,
            "read" => false,
            _ => {
                return Err(ApiError::bad_request(format!(
                    "The permissionMode is '{mode}'; use 'All' or 'Read'."
                )));
            }
        };
        let link = content.get("resource").and_then(Json::as_str).unwrap_or_default();
        let path = RequestPath::parse(link);
        let Some(Route::Container(database, container, inner)) = path.route() else {
            return Err(invalid_resource(link));
        };
        // Resolved when the permission is read: a name that is reused later must not inherit the grant.
        let address = engine.resolve_container(database, container)?;
        let container = address.rid;
        let scope = match inner {
            ContainerRoute::Itself => GrantScope::Container,
            // `_self` of an item. A resource id names one item of one logical partition; a plain id does not.
            ContainerRoute::Item(id) if parse_item_rid(&address, id).is_some() => {
                GrantScope::ItemRid(id.to_owned())
            }
            ContainerRoute::Item(id) => GrantScope::Item(id.to_owned()),
            ContainerRoute::Script(kind, segment) => {
                let script = engine.read_attached(container, kind.attached_kind(), segment).await?;
                GrantScope::Script(script.value.rid.to_string())
            }
            _ => return Err(invalid_resource(link)),
        };
        let partition_key = match content.get("resourcePartitionKey") {
            None | Some(Json::Null) => None,
            Some(key) => {
                // Only validated. The text is kept, because it becomes part of the signed token.
                PartitionKey::from_json(key)?;
                Some(key.to_string())
            }
        };
        Ok(Self { container: container.to_string(), scope, may_write, partition_key })
    }
}

fn invalid_resource(link: &str) -> ApiError {
    ApiError::bad_request(format!(
        "The permission names '{link}'; name a container, or an item, stored procedure, trigger or user-defined \
         function of one."
    ))
}
