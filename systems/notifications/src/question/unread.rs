//! The unread count of a user.

use client::Query;

use crate::domain::UserId;
use crate::error::{Error, Result};
use crate::notifications::{Notifications, NotificationsCore};
use service::charge::{ChargeMeter, ChargedValue};

impl Notifications {
    /// The number of notifications that are neither read nor dismissed.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn unread_count(&self, user: &UserId) -> Result<ChargedValue<u64>> {
        let mut meter = ChargeMeter::default();
        let count = self.core.count_unread(user, &mut meter).await?;
        Ok(meter.finish(count))
    }
}

impl NotificationsCore {
    pub(crate) async fn count_unread(&self, user: &UserId, meter: &mut ChargeMeter) -> Result<u64> {
        let query = Query::text(
            "SELECT VALUE COUNT(1) FROM c WHERE c.read = false AND c.dismissed = false",
        );
        let query = query.within(user.partition_key());
        let counts: Vec<u64> = meter.record(self.containers.notifications.query(&query).await?);
        counts.first().copied().ok_or_else(|| Error::internal("a count has one row"))
    }
}
