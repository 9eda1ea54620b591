//! The effect of a change on existing items.
//!
//! Owns the two counts: items that would expire at once, and items that are indexed again. An item with its own `ttl`
//! expires by that, as in the service.

use client::{Container, ErrorKind, Query, QueryText, Result, TimeToLive};

/// The number of items.
pub(super) async fn items(container: &Container) -> Result<u64> {
    count(
        container,
        &Query::text("SELECT VALUE COUNT(1) FROM c"),
        &Query::text("SELECT VALUE 1 FROM c"),
    )
    .await
}

/// The number of items that would expire as soon as this time to live is set.
pub(super) async fn expiring(container: &Container, new: TimeToLive) -> Result<u64> {
    let now =
        i64::try_from(container.account().environment().now().seconds().0).unwrap_or(i64::MAX);
    match new {
        TimeToLive::Off => Ok(0),
        TimeToLive::NoDefault => {
            let counted = Query::text(
                "SELECT VALUE COUNT(1) FROM c WHERE IS_NUMBER(c.ttl) AND c.ttl > 0 AND c._ts + c.ttl <= @now",
            );
            let listed = Query::text(
                "SELECT VALUE 1 FROM c WHERE IS_NUMBER(c.ttl) AND c.ttl > 0 AND c._ts + c.ttl <= @now",
            );
            let given = |text: QueryText| text.parameter("@now", now);
            count(container, &given(counted), &given(listed)).await
        }
        TimeToLive::Seconds(seconds) => {
            let counted = Query::text(
                "SELECT VALUE COUNT(1) FROM c WHERE (NOT IS_DEFINED(c.ttl) AND c._ts <= @last) \
                 OR (IS_NUMBER(c.ttl) AND c.ttl > 0 AND c._ts + c.ttl <= @now)",
            );
            let listed = Query::text(
                "SELECT VALUE 1 FROM c WHERE (NOT IS_DEFINED(c.ttl) AND c._ts <= @last) \
                 OR (IS_NUMBER(c.ttl) AND c.ttl > 0 AND c._ts + c.ttl <= @now)",
            );
            let last = now.saturating_sub(i64::from(seconds));
            let given = |text: QueryText| text.parameter("@now", now).parameter("@last", last);
            count(container, &given(counted), &given(listed)).await
        }
    }
}

const REASON: &str = "a schema plan counts the items a change would touch";

/// Queries the count. If the account cannot aggregate over partitions, counts the rows here.
async fn count(container: &Container, counted: &QueryText, listed: &QueryText) -> Result<u64> {
    match container.query::<u64>(&counted.clone().fan_out(REASON)).await {
        Ok(answer) => Ok(answer.value.iter().sum()),
        Err(error) if error.kind() == ErrorKind::BadRequest => {
            let rows = container.query::<u64>(&listed.clone().fan_out(REASON)).await?.value;
            Ok(rows.len() as u64)
        }
        Err(error) => Err(error),
    }
}
