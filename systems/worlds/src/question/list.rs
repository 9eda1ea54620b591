//! Pages of the entities of a world: all, by type, by tag, by parent, in several orders.
//!
//! The text of a query is static, so that no value can get into it; every combination is a text of its own.

use client::{Json, Query, QueryText};
use serde::{Deserialize, Serialize};
use service::charge::{ChargeMeter, ChargedValue};

use super::page::{EntityPage, read_page};
use crate::access::WorldAccess;
use crate::domain::EntityId;
use crate::error::Result;
use crate::worlds::Worlds;

/// Which entities, and in which order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntityFilter {
    /// Only of this type.
    pub entity_type: Option<String>,
    /// Only with all of these tags.
    pub tags: Vec<String>,
    /// Only nested directly in this entity.
    pub parent_id: Option<EntityId>,
    /// The property to sort by; any order if absent, which costs less.
    pub sort: Option<EntitySort>,
    /// Ascending or descending.
    pub order: EntityOrder,
}

/// A property to sort by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum EntitySort {
    /// The name.
    Name,
    /// When it was created.
    CreatedDate,
    /// When it was changed last.
    ModifiedDate,
}

/// The direction of an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntityOrder {
    /// Smallest first.
    #[default]
    Asc,
    /// Greatest first.
    Desc,
}

/// The query with this filter in each order.
macro_rules! ordered {
    ($filter:expr, $where:literal) => {{
        use EntityOrder::{Asc, Desc};
        use EntitySort::{CreatedDate, ModifiedDate, Name};
        macro_rules! text {
            ($end:literal) => {
                concat!("SELECT * FROM c WHERE c.IsDeleted = false", $where, $end)
            };
        }
        match ($filter.sort, $filter.order) {
            (None, _) => text!(""),
            (Some(Name), Asc) => text!(" ORDER BY c.Name ASC"),
            (Some(Name), Desc) => text!(" ORDER BY c.Name DESC"),
            (Some(CreatedDate), Asc) => text!(" ORDER BY c.CreatedDate ASC"),
            (Some(CreatedDate), Desc) => text!(" ORDER BY c.CreatedDate DESC"),
            (Some(ModifiedDate), Asc) => text!(" ORDER BY c.ModifiedDate ASC"),
            (Some(ModifiedDate), Desc) => text!(" ORDER BY c.ModifiedDate DESC"),
        }
    }};
}

impl EntityFilter {
    fn query(&self) -> QueryText {
        let by_type = self.entity_type.is_some();
        let text = match (by_type, self.parent_id.is_some(), !self.tags.is_empty()) {
            (false, false, false) => ordered!(self, ""),
            (true, false, false) => ordered!(self, " AND c.EntityType = @type"),
            (false, true, false) => ordered!(self, " AND c.ParentId = @parent"),
            (true, true, false) => {
                ordered!(self, " AND c.ParentId = @parent AND c.EntityType = @type")
            }
            (false, false, true) => ordered!(self, " AND ARRAY_CONTAINS_ALL(c.Tags, @tags)"),
            (true, false, true) => {
                ordered!(self, " AND c.EntityType = @type AND ARRAY_CONTAINS_ALL(c.Tags, @tags)")
            }
            (false, true, true) => {
                ordered!(self, " AND c.ParentId = @parent AND ARRAY_CONTAINS_ALL(c.Tags, @tags)")
            }
            (true, true, true) => ordered!(
                self,
                " AND c.ParentId = @parent AND c.EntityType = @type \
                 AND ARRAY_CONTAINS_ALL(c.Tags, @tags)"
            ),
        };
        let mut query = Query::text(text);
        if let Some(entity_type) = &self.entity_type {
            query = query.parameter("@type", entity_type.as_str());
        }
        if let Some(parent) = &self.parent_id {
            query = query.parameter("@parent", parent);
        }
        if !self.tags.is_empty() {
            let tags: Vec<Json> = self.tags.iter().map(|tag| tag.as_str().into()).collect();
            query = query.parameter("@tags", tags);
        }
        query
    }
}

impl Worlds {
    /// A page of the entities of a world, the World included.
    ///
    /// # Errors
    /// `Invalid` for a continuation of another list.
    pub async fn entities(
        &self,
        access: &WorldAccess,
        filter: &EntityFilter,
        limit: usize,
        continuation: Option<String>,
    ) -> Result<ChargedValue<EntityPage>> {
        let mut meter = ChargeMeter::default();
        let query = filter.query().within_prefix(access.world().partition_key());
        let container = &self.core.containers.entities;
        let (entities, continuation) =
            read_page(container, &query, limit, continuation, &mut meter).await?;
        Ok(meter.finish(EntityPage { entities, continuation }))
    }
}
