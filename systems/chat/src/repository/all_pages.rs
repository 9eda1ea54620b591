//! Reads every page of a query, and says in the log how many there were.

use client::{Container, Query};
use serde::de::DeserializeOwned;
use service::charge::ChargedValue;
use tracing::Instrument as _;

use crate::error::{Error, Result};

/// All rows of a query. Each page is retried by the account; an error names the operation.
pub(crate) async fn all_pages<T: DeserializeOwned>(
    container: &Container,
    operation: &'static str,
    query: Query,
) -> Result<ChargedValue<Vec<T>>> {
    let span = tracing::debug_span!("repository", operation, rows = tracing::field::Empty);
    let read = async {
        let mut rows = Vec::new();
        let (mut charge, mut pages, mut continuation) = (0.0, 0_u32, None);
        loop {
            let options =
                client::QueryPageOptions { continuation, ..client::QueryPageOptions::default() };
            let page = container.query_page::<T>(&query, options).await?;
            charge += page.charge;
            pages += 1;
            tracing::debug!(operation, page = pages, rows = page.value.rows.len(), "page");
            rows.extend(page.value.rows);
            continuation = page.value.continuation;
            if continuation.is_none() {
                tracing::Span::current().record("rows", rows.len());
                return Ok::<_, client::Error>(ChargedValue::new(rows, charge));
            }
        }
    };
    read.instrument(span).await.map_err(|error| {
        tracing::warn!(operation, %error, "a query failed");
        Error::in_operation(operation, error)
    })
}
