//! Runs one query on the engine: its first page or all pages.

use std::time::Duration;

use engine::Engine;
use engine::query::{QueryItems, QueryMetrics};

use crate::Result;
use crate::meter::now;

/// What a query gave.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) rows: u64,
    pub(super) metrics: QueryMetrics,
    pub(super) time: Duration,
}

/// Asks for one page.
pub(super) async fn page(engine: &Engine, query: QueryItems) -> Result<Asked> {
    let started = now();
    let page = engine.query_items(query).await?.value;
    let time = started.elapsed();
    Ok(Asked { rows: page.rows.len() as u64, metrics: page.metrics, time })
}

/// Asks for every page; the rows of all.
pub(super) async fn all_pages(engine: &Engine, mut query: QueryItems) -> Result<u64> {
    let mut rows = 0;
    loop {
        let page = engine.query_items(query.clone()).await?.value;
        rows += page.rows.len() as u64;
        query.page.continuation = page.continuation;
        if query.page.continuation.is_none() {
            return Ok(rows);
        }
    }
}
