//! Outcomes of events, counted on our side: the same names as the other side counts by.

use client::Query;
use notifications::Containers;
use serde::Deserialize;

use super::side::Outcomes;
use crate::Result;

#[derive(Deserialize)]
struct OutcomeRow {
    status: String,
    reason: Option<String>,
    events: u64,
}

/// The name of an outcome.
pub(super) fn name(status: &str, reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("{status} {reason}"),
        None => status.to_owned(),
    }
}

/// Counts all events and notifications.
pub(super) async fn outcomes(containers: &Containers) -> Result<Outcomes> {
    let query = Query::text(
        "SELECT c.status, c.reason, COUNT(1) AS events FROM c GROUP BY c.status, c.reason",
    );
    let query = query.fan_out("the benchmark compares all outcomes");
    let rows = containers.events.query::<OutcomeRow>(&query).await?.value;
    let mut outcomes = Outcomes::default();
    for row in rows {
        *outcomes.events.entry(name(&row.status, row.reason.as_deref())).or_default() += row.events;
    }
    let query = Query::text("SELECT VALUE COUNT(1) FROM c");
    let query = query.fan_out("the benchmark counts all notifications");
    let counts = containers.notifications.query::<u64>(&query).await?.value;
    outcomes.notifications = counts.iter().sum();
    Ok(outcomes)
}
