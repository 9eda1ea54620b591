//! Statistics of the queue.

use std::collections::BTreeMap;

use client::Query;
use serde::Deserialize;
use serde_json::Value;

use crate::domain::{EventStatus, UtcTimestamp};
use crate::error::Result;
use crate::notifications::Notifications;
use service::charge::{ChargeMeter, ChargedValue};

/// Numbers of events.
#[derive(Clone, Debug, PartialEq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Stats)]
pub struct QueueStats {
    /// Events by status.
    pub events: BTreeMap<String, u64>,
    /// Events that failed and have no attempts left.
    pub dead: u64,
    /// When the oldest event that is waiting and due was created.
    #[schema(value_type = Option<String>)]
    pub oldest_pending_at: Option<UtcTimestamp>,
}

#[derive(Deserialize)]
struct OldestRow {
    at: UtcTimestamp,
}

/// The properties that are counted. Their types are not assumed: damaged events must not hide the others.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct EventStatusRow {
    status: Value,
    retry_count: Value,
}

const REASON: &str = "an operator counts the events of all users";

impl Notifications {
    /// Counts events by status.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn stats(&self) -> Result<ChargedValue<QueueStats>> {
        let events = &self.core.containers.events;
        let mut meter = ChargeMeter::default();
        let (counts, dead) = if self.core.account.is_connected() {
            self.count_in_client(&mut meter).await?
        } else {
            self.count_in_engine(&mut meter).await?
        };
        let oldest = Query::text(
            "SELECT TOP 1 c.createdAt AS at FROM c WHERE c.status = 'PENDING' AND \
             (NOT IS_DEFINED(c.scheduledAt) OR c.scheduledAt <= @now) ORDER BY c.createdAt",
        );
        let oldest = oldest.parameter("@now", self.core.now()).fan_out(REASON);
        let oldest = events.query::<OldestRow>(&oldest).await?;
        let oldest: Vec<OldestRow> = meter.record(oldest);
        let oldest_pending_at = oldest.first().map(|oldest| oldest.at);
        Ok(meter.finish(QueueStats { events: counts, dead, oldest_pending_at }))
    }

    /// Lets the engine count, which reads only the index.
    async fn count_in_engine(
        &self,
        meter: &mut ChargeMeter,
    ) -> Result<(BTreeMap<String, u64>, u64)> {
        let events = &self.core.containers.events;
        let mut counts = BTreeMap::new();
        for status in EventStatus::ALL {
            let query = Query::text("SELECT VALUE COUNT(1) FROM c WHERE c.status = @status");
            let query = query.parameter("@status", status.name()).fan_out(REASON);
            let found: Vec<u64> = meter.record(events.query(&query).await?);
            counts.insert(status.name().to_owned(), found.iter().sum());
        }
        let dead = Query::text(
            "SELECT VALUE COUNT(1) FROM c WHERE c.status = 'FAILED' AND c.retryCount >= @most",
        )
        .parameter("@most", i64::from(self.core.settings.max_retries))
        .fan_out(REASON);
        let dead: Vec<u64> = meter.record(events.query(&dead).await?);
        Ok((counts, dead.iter().sum()))
    }

    /// Counts row by row: the library behind a connected account does not add up the counts of several partitions.
    async fn count_in_client(
        &self,
        meter: &mut ChargeMeter,
    ) -> Result<(BTreeMap<String, u64>, u64)> {
        let query = Query::text("SELECT c.status, c.retryCount FROM c").fan_out(REASON);
        let rows: Vec<EventStatusRow> =
            meter.record(self.core.containers.events.query(&query).await?);
        let retries_max = f64::from(self.core.settings.max_retries);
        let mut counts: BTreeMap<String, u64> =
            EventStatus::ALL.iter().map(|status| (status.name().to_owned(), 0)).collect();
        let mut dead = 0;
        for EventStatusRow { status, retry_count } in rows {
            let Some(status) = status.as_str().and_then(EventStatus::from_name) else { continue };
            *counts.entry(status.name().to_owned()).or_default() += 1;
            let is_used_up = retry_count.as_f64().is_some_and(|count| count >= retries_max);
            dead += u64::from(status == EventStatus::Failed && is_used_up);
        }
        Ok((counts, dead))
    }
}
