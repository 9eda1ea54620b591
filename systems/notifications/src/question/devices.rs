//! The devices of a user, last seen first.

use client::Query;

use crate::charge::ChargedValue;
use crate::domain::{Device, UserId};
use crate::error::Result;
use crate::notifications::Notifications;

impl Notifications {
    /// The devices that are pushed to.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn active_devices(&self, user: &UserId) -> Result<ChargedValue<Vec<Device>>> {
        let query = Query::text(
            "SELECT * FROM c WHERE IS_DEFINED(c.deviceId) AND \
             (NOT IS_DEFINED(c.revokedAt) OR IS_NULL(c.revokedAt)) ORDER BY c.lastSeenAt DESC",
        );
        let query = query.within(user.partition_key());
        let answer = self.core.containers.devices.query(&query).await?;
        Ok(ChargedValue::new(answer.value, answer.charge))
    }

    /// All devices, the revoked ones too.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn devices(&self, user: &UserId) -> Result<ChargedValue<Vec<Device>>> {
        let query =
            Query::text("SELECT * FROM c WHERE IS_DEFINED(c.deviceId) ORDER BY c.lastSeenAt DESC");
        let query = query.within(user.partition_key());
        let answer = self.core.containers.devices.query(&query).await?;
        Ok(ChargedValue::new(answer.value, answer.charge))
    }
}
