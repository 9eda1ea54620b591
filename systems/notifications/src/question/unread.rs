//! How many notifications a user has not read.

use client::Query;

use crate::charged::{Bill, Charged};
use crate::error::{Error, Result};
use crate::notifications::{Core, Notifications};
use crate::words::UserId;

impl Notifications {
    /// The number of notifications that are neither read nor put away.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn unread_count(&self, user: &UserId) -> Result<Charged<u64>> {
        let mut bill = Bill::default();
        let count = self.core.count_unread(user, &mut bill).await?;
        Ok(bill.of(count))
    }
}

impl Core {
    pub(crate) async fn count_unread(&self, user: &UserId, bill: &mut Bill) -> Result<u64> {
        let query = Query::text(
            "SELECT VALUE COUNT(1) FROM c WHERE c.read = false AND c.dismissed = false",
        );
        let query = query.within(user.partition_key());
        let counts: Vec<u64> = bill.take(self.containers.notifications.query(&query).await?);
        counts.first().copied().ok_or_else(|| Error::internal("a count has one row"))
    }
}
