//! How the queue stands, in numbers.

use std::collections::BTreeMap;

use client::Query;
use serde::Deserialize;

use crate::charged::Charged;
use crate::error::Result;
use crate::notifications::Notifications;
use crate::words::{Moment, Status};

/// The queue in numbers.
#[derive(Clone, Debug, PartialEq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Events by status.
    pub events: BTreeMap<String, u64>,
    /// Events that failed for good.
    pub dead: u64,
    /// The oldest event that waits and is due.
    #[schema(value_type = Option<String>)]
    pub oldest_pending_at: Option<Moment>,
}

#[derive(Deserialize)]
struct Oldest {
    at: Moment,
}

impl Notifications {
    /// Counts events by status.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn stats(&self) -> Result<Charged<Stats>> {
        const REASON: &str = "an operator asks how the queue stands";
        let events = &self.core.containers.events;
        let mut charge = 0.0;
        let mut counts = BTreeMap::new();
        for status in Status::ALL {
            let query = Query::text("SELECT VALUE COUNT(1) FROM c WHERE c.status = @status");
            let query = query.parameter("@status", status.name()).fan_out(REASON);
            let answer = events.query::<u64>(&query).await?;
            charge += answer.charge;
            counts.insert(status.name().to_owned(), answer.value.iter().sum());
        }
        let dead = Query::text(
            "SELECT VALUE COUNT(1) FROM c WHERE c.status = 'FAILED' AND c.retryCount >= @most",
        )
        .parameter("@most", i64::from(self.core.settings.max_retries))
        .fan_out(REASON);
        let dead = events.query::<u64>(&dead).await?;
        let oldest = Query::text(
            "SELECT TOP 1 c.createdAt AS at FROM c WHERE c.status = 'PENDING' AND \
             (NOT IS_DEFINED(c.scheduledAt) OR c.scheduledAt <= @now) ORDER BY c.createdAt",
        );
        let oldest = oldest.parameter("@now", self.core.now()).fan_out(REASON);
        let oldest = events.query::<Oldest>(&oldest).await?;
        charge += dead.charge + oldest.charge;
        let stats = Stats {
            events: counts,
            dead: dead.value.iter().sum(),
            oldest_pending_at: oldest.value.first().map(|oldest| oldest.at),
        };
        Ok(Charged::new(stats, charge))
    }
}
