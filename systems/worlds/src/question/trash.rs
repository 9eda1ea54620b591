//! What can be restored: first what is still in place, then what is in the container of deleted entities.

use client::Query;
use serde::{Deserialize, Serialize};
use service::charge::{ChargeMeter, ChargedValue};

use super::page::read_page;
use crate::access::WorldAccess;
use crate::domain::{DeletedWorldEntity, UtcTimestamp, WorldEntity};
use crate::error::{Error, Result};
use crate::worlds::Worlds;

/// One entity of the trash.
#[derive(Clone, Debug, PartialEq)]
pub struct TrashedEntity {
    /// The entity.
    pub entity: WorldEntity,
    /// When it is gone; `None` while it is in place.
    pub hard_delete_date: Option<UtcTimestamp>,
}

/// A page of the trash.
#[derive(Clone, Debug, PartialEq)]
pub struct TrashPage {
    /// Deleted last first, in each of the two parts.
    pub entities: Vec<TrashedEntity>,
    /// Where the next page begins; `None` on the last one.
    pub continuation: Option<String>,
}

/// Where a page of the trash begins.
#[derive(Serialize, Deserialize)]
enum TrashPosition {
    InPlace(Option<String>),
    Moved(Option<String>),
}

impl Worlds {
    /// A page of the trash of a world.
    ///
    /// # Errors
    /// `Invalid` for a continuation of another list.
    pub async fn trash(
        &self,
        access: &WorldAccess,
        limit: usize,
        continuation: Option<&str>,
    ) -> Result<ChargedValue<TrashPage>> {
        let mut meter = ChargeMeter::default();
        let mut entities = Vec::new();
        let mut position = match continuation {
            None => TrashPosition::InPlace(None),
            Some(text) => serde_json::from_str(text)
                .map_err(|_| Error::invalid_field("cursor", "is not of this list"))?,
        };
        loop {
            let missing = limit.saturating_sub(entities.len()).max(1);
            let next = match position {
                TrashPosition::InPlace(from) => {
                    let (rows, next) = self.in_place(access, missing, from, &mut meter).await?;
                    let in_place = |entity| TrashedEntity { entity, hard_delete_date: None };
                    entities.extend(rows.into_iter().map(in_place));
                    let moved = || TrashPosition::Moved(None);
                    Some(next.map_or_else(moved, |next| TrashPosition::InPlace(Some(next))))
                }
                TrashPosition::Moved(from) => {
                    let (rows, next) = self.moved(access, missing, from, &mut meter).await?;
                    entities.extend(rows.into_iter().map(|one| TrashedEntity {
                        hard_delete_date: Some(one.hard_delete_date),
                        entity: one.entity,
                    }));
                    next.map(|next| TrashPosition::Moved(Some(next)))
                }
            };
            match next {
                Some(next) if entities.len() < limit => position = next,
                next => {
                    let text = next.map(|next| serde_json::to_string(&next).unwrap_or_default());
                    return Ok(meter.finish(TrashPage { entities, continuation: text }));
                }
            }
        }
    }

    /// Deleted entities that are still in place (WB-068).
    async fn in_place(
        &self,
        access: &WorldAccess,
        limit: usize,
        from: Option<String>,
        meter: &mut ChargeMeter,
    ) -> Result<(Vec<WorldEntity>, Option<String>)> {
        let query = Query::text(
            "SELECT * FROM c WHERE c.IsDeleted = true AND c.DeletedDate > @cutoff \
             ORDER BY c.DeletedDate DESC",
        );
        let cutoff = self.core.now().before(self.core.settings.deletion.grace());
        let query = query.parameter("@cutoff", cutoff);
        let query = query.within_prefix(access.world().partition_key());
        read_page(&self.core.containers.entities, &query, limit, from, meter).await
    }

    /// Deleted entities after the grace period (WB-067).
    async fn moved(
        &self,
        access: &WorldAccess,
        limit: usize,
        from: Option<String>,
        meter: &mut ChargeMeter,
    ) -> Result<(Vec<DeletedWorldEntity>, Option<String>)> {
        let query = Query::text("SELECT * FROM c ORDER BY c.DeletedDate DESC");
        let query = query.within_prefix(access.world().partition_key());
        read_page(&self.core.containers.deleted, &query, limit, from, meter).await
    }
}
