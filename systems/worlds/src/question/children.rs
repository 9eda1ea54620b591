//! What is nested in an entity.

use client::Query;
use service::charge::{ChargeMeter, ChargedValue};

use super::page::{EntityPage, read_page};
use crate::access::WorldAccess;
use crate::domain::EntityId;
use crate::error::Result;
use crate::worlds::Worlds;

/// How many entities are nested directly in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
pub struct ChildCount {
    /// Without deleted ones.
    pub count: u64,
}

impl Worlds {
    /// A page of the entities nested directly in one, by name.
    ///
    /// # Errors
    /// `NotFound` for the entity, `Invalid` for a continuation of another list.
    pub async fn children(
        &self,
        access: &WorldAccess,
        parent: &EntityId,
        limit: usize,
        continuation: Option<String>,
    ) -> Result<ChargedValue<EntityPage>> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        let query = Query::text(
            "SELECT * FROM c WHERE c.ParentId = @parent AND c.IsDeleted = false ORDER BY c.Name",
        );
        let query = query.parameter("@parent", parent);
        let query = query.within_prefix(access.world().partition_key());
        let container = &core.containers.entities;
        let (entities, continuation) =
            read_page(container, &query, limit, continuation, &mut meter).await?;
        if entities.is_empty() {
            // Nothing is nested in it, or it does not exist.
            core.read_active(access, parent, &mut meter).await?;
        }
        Ok(meter.finish(EntityPage { entities, continuation }))
    }

    /// How many entities are nested directly in one.
    ///
    /// # Errors
    /// `NotFound` for the entity.
    pub async fn count_children(
        &self,
        access: &WorldAccess,
        parent: &EntityId,
    ) -> Result<ChargedValue<ChildCount>> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        let prefix = access.world().partition_key();
        let count = if core.account.is_connected() {
            // The library behind a connected account does not add up the counts of several partitions.
            let query = Query::text(
                "SELECT VALUE c.id FROM c WHERE c.ParentId = @parent AND c.IsDeleted = false",
            );
            let query = query.parameter("@parent", parent).within_prefix(prefix);
            let ids: Vec<String> = meter.record(core.containers.entities.query(&query).await?);
            u64::try_from(ids.len()).unwrap_or(u64::MAX)
        } else {
            let query = Query::text(
                "SELECT VALUE COUNT(1) FROM c WHERE c.ParentId = @parent AND c.IsDeleted = false",
            );
            let query = query.parameter("@parent", parent).within_prefix(prefix);
            let counts: Vec<u64> = meter.record(core.containers.entities.query(&query).await?);
            counts.into_iter().sum()
        };
        if count == 0 {
            core.read_active(access, parent, &mut meter).await?;
        }
        Ok(meter.finish(ChildCount { count }))
    }
}
