//! Operations of a world and their progress.

use client::Query;
use service::charge::{ChargeMeter, ChargedValue};

use crate::access::WorldAccess;
use crate::domain::WorldOperation;
use crate::error::{Error, Result};
use crate::worlds::Worlds;

impl Worlds {
    /// The operations of a world, newest first; finished ones for a day.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn operations(
        &self,
        access: &WorldAccess,
    ) -> Result<ChargedValue<Vec<WorldOperation>>> {
        let mut meter = ChargeMeter::default();
        let query = Query::text("SELECT TOP 100 * FROM c ORDER BY c.CreatedDate DESC");
        let query = query.within(access.world().partition_key());
        let operations = meter.record(self.core.containers.operations.query(&query).await?);
        Ok(meter.finish(operations))
    }

    /// One operation.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn operation(
        &self,
        access: &WorldAccess,
        id: &str,
    ) -> Result<ChargedValue<WorldOperation>> {
        let mut meter = ChargeMeter::default();
        let key = access.world().partition_key();
        let read = self.core.containers.operations.read::<WorldOperation>(&key, id).await;
        let missing = |error: client::Error| match error.kind() {
            client::ErrorKind::NotFound | client::ErrorKind::BadRequest => {
                Error::not_found("operation")
            }
            _ => error.into(),
        };
        let operation = meter.record(read.map_err(missing)?).into_value();
        Ok(meter.finish(operation))
    }
}
