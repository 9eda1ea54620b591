//! Pages of entities.

use client::{Container, Query, QueryPageOptions};
use serde::de::DeserializeOwned;
use service::charge::ChargeMeter;

use crate::domain::WorldEntity;
use crate::error::{Error, Result};

/// A page of entities.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityPage {
    /// The entities.
    pub entities: Vec<WorldEntity>,
    /// Where the next page begins; `None` on the last one.
    pub continuation: Option<String>,
}

/// Reads rows until there are as many as asked for, or no more.
pub(super) async fn read_page<T: DeserializeOwned>(
    container: &Container,
    query: &Query,
    limit: usize,
    mut continuation: Option<String>,
    meter: &mut ChargeMeter,
) -> Result<(Vec<T>, Option<String>)> {
    let mut rows: Vec<T> = Vec::new();
    // The account may return a short page, even an empty one, before the end of the list.
    loop {
        // Only what is missing: a token points behind the rows of its page, so rows beyond the limit would be skipped
        // by the next request.
        let rows_max = Some(limit.saturating_sub(rows.len()).max(1));
        let options = QueryPageOptions { rows_max, continuation, session_token: None };
        let page = container.query_page::<T>(query, options).await.map_err(foreign_cursor)?;
        let page = meter.record(page);
        rows.extend(page.rows);
        continuation = page.continuation;
        if rows.len() >= limit || continuation.is_none() {
            return Ok((rows, continuation));
        }
    }
}

/// The query text is ours, so only the continuation can be wrong.
fn foreign_cursor(error: client::Error) -> Error {
    match error.kind() {
        client::ErrorKind::BadRequest => {
            Error::invalid_field("cursor", "is not of this list; start without one")
        }
        _ => error.into(),
    }
}
