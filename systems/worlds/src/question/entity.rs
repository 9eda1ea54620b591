//! One entity, by a point read.

use client::EntityTag;
use service::charge::{ChargeMeter, ChargedValue};

use crate::access::WorldAccess;
use crate::domain::{EntityId, WorldEntity};
use crate::error::Result;
use crate::worlds::Worlds;

impl Worlds {
    /// An entity that is not deleted, with its etag.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn entity(
        &self,
        access: &WorldAccess,
        id: &EntityId,
    ) -> Result<ChargedValue<(WorldEntity, Option<EntityTag>)>> {
        let mut meter = ChargeMeter::default();
        let item = self.core.read_active(access, id, &mut meter).await?;
        let etag = item.etag();
        Ok(meter.finish((item.into_value(), etag)))
    }
}
