//! Deletes an entity of the trash for good.

use client::ErrorKind as DataError;
use service::charge::{ChargeMeter, ChargedValue};

use crate::access::WorldAccess;
use crate::domain::EntityId;
use crate::error::{Error, ErrorKind, Result};
use crate::worlds::Worlds;

impl Worlds {
    /// Deletes an entity of the trash for good. What was nested in it stays in the trash.
    ///
    /// # Errors
    /// `NotFound` if it is not in the trash, `Conflict` for the World.
    pub async fn purge_entity(
        &self,
        access: &WorldAccess,
        id: &EntityId,
    ) -> Result<ChargedValue<()>> {
        let (core, mut meter) = (&self.core, ChargeMeter::default());
        if *id == access.world().root() {
            return Err(Error::new(ErrorKind::Conflict, "A deleted world goes by itself."));
        }
        core.require_trashed(access, id, &mut meter).await?;
        let key = access.world().entity_key(id);
        for container in [&core.containers.deleted, &core.containers.entities] {
            match container.delete(&key, id.as_str(), None).await {
                Ok(deleted) => meter.record(deleted),
                Err(error) if error.kind() == DataError::NotFound => meter.record_error(&error),
                Err(error) => return Err(error.into()),
            }
        }
        // The change feed has no deletes, so the tree would not learn of it (WB-X22).
        core.update_tree(access.world(), std::slice::from_ref(id)).await?;
        Ok(meter.finish(()))
    }
}
