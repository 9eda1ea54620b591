//! The property schemas that a user can choose from.

use client::Query;
use service::charge::{ChargeMeter, ChargedValue};

use crate::domain::{PropertySchema, WorldUser, shipped_schemas};
use crate::error::Result;
use crate::worlds::Worlds;

impl Worlds {
    /// The schemas of the program, then those of the user.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn schemas(&self, user: &WorldUser) -> Result<ChargedValue<Vec<PropertySchema>>> {
        let mut meter = ChargeMeter::default();
        let query = Query::text("SELECT TOP 500 * FROM c WHERE c.OwnerId = @user ORDER BY c.Name");
        let query = query.parameter("@user", user).fan_out("schemas are kept by id, not by user");
        let own: Vec<PropertySchema> =
            meter.record(self.core.containers.schemas.query(&query).await?);
        Ok(meter.finish(shipped_schemas().into_iter().chain(own).collect()))
    }
}
