//! The devices of a user, most recently seen first.

use client::Query;

use crate::domain::{Device, UserId};
use crate::error::Result;
use crate::notifications::Notifications;
use service::charge::ChargedValue;

impl Notifications {
    /// The active devices of a user.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn active_devices(&self, user: &UserId) -> Result<ChargedValue<Vec<Device>>> {
        let query = Query::text(
            "SELECT * FROM c WHERE IS_DEFINED(c.deviceId) AND \
             (NOT IS_DEFINED(c.revokedAt) OR IS_NULL(c.revokedAt)) ORDER BY c.lastSeenAt DESC",
        );
        let query = query.within(user.partition_key());
        let response = self.core.containers.devices.query(&query).await?;
        Ok(ChargedValue::new(response.value, response.charge))
    }

    /// All devices of a user, including revoked ones.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn devices(&self, user: &UserId) -> Result<ChargedValue<Vec<Device>>> {
        let query =
            Query::text("SELECT * FROM c WHERE IS_DEFINED(c.deviceId) ORDER BY c.lastSeenAt DESC");
        let query = query.within(user.partition_key());
        let response = self.core.containers.devices.query(&query).await?;
        Ok(ChargedValue::new(response.value, response.charge))
    }
}
