//! Moves messages to a container with the partition key `/tenantId,/roomName`.
//!
//! The copy of `service` creates the new container, fills it and follows the changes of the old one until both are
//! equal; then `Cosmos:MessagesContainer` and `Cosmos:MessagesTenant` switch readers and writers over. Nothing is
//! written twice by the chat itself: a change that comes during the copy reaches it by the change feed.

use std::sync::Arc;

use client::{Json, PartitionKeyDefinition};
use service::copy::{CopyPlan, Transform};

use crate::containers::ChatContainers;
use crate::error::{Error, Result};

/// Gives every message its tenant.
struct TenantTransform {
    tenant: String,
}

/// The plan of the copy.
///
/// # Errors
/// `Invalid` for a name that is none, or an empty tenant.
pub fn hierarchical_copy(
    containers: &ChatContainers,
    target: &str,
    tenant: &str,
) -> Result<CopyPlan> {
    if tenant.is_empty() {
        return Err(Error::invalid_field("tenant", "the tenant must not be empty"));
    }
    let to = containers.messages.database()?.container(target)?;
    let key = PartitionKeyDefinition::hierarchical(&["/tenantId", "/roomName"]);
    Ok(CopyPlan {
        partition_key: Some(key.map_err(client::Error::from)?),
        transform: Arc::new(TenantTransform { tenant: tenant.to_owned() }),
        ..CopyPlan::new(containers.messages.clone(), to)
    })
}

impl Transform for TenantTransform {
    fn apply(&self, item: Json) -> std::result::Result<Json, String> {
        match item {
            Json::Object(mut object) => {
                object.insert("tenantId", Json::from(self.tenant.as_str()));
                Ok(Json::Object(object))
            }
            _ => Err("it is no object".to_owned()),
        }
    }

    fn description(&self) -> String {
        format!("tenantId={}", self.tenant)
    }
}
