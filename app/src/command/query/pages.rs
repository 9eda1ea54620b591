//! Reads page after page until the end, a limit or ctrl-c, and prints each page as soon as it arrives.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use engine::Engine;
use engine::query::{QueryItems, QueryMetrics};
use indicatif::ProgressBar;
use model::{ChargeExplanation, RequestCharge};

use super::rows::RowPrinter;
use crate::progress;

/// How many pages to read.
pub(super) struct Paging {
    pub(super) pages_max: Option<u64>,
}

/// Sums over all pages.
#[derive(Debug, Default)]
pub(super) struct QueryTotals {
    pub(super) pages: u64,
    pub(super) charge: RequestCharge,
    /// The terms of the charge, if requested.
    pub(super) explanation: Option<Box<ChargeExplanation>>,
    pub(super) metrics: QueryMetrics,
    /// The continuation token, if there is more.
    pub(super) continuation: Option<String>,
    /// Whether ctrl-c stopped it.
    pub(super) is_stopped: bool,
}

/// Why reading stopped early.
pub(super) enum QueryStopped {
    /// The engine rejected the query or failed.
    Refused(engine::Error),
    /// The rows could not be written.
    Output(io::Error),
}

/// Reads and prints the pages.
pub(super) async fn read<W: Write>(
    engine: &Engine,
    mut query: QueryItems,
    paging: &Paging,
    rows: &mut RowPrinter<W>,
) -> Result<QueryTotals, QueryStopped> {
    let mut read =
        QueryTotals { continuation: query.page.continuation.clone(), ..QueryTotals::default() };
    // On a terminal the rows themselves show progress.
    let counter = match io::stdout().is_terminal() {
        true => ProgressBar::hidden(),
        false => progress::counter("reading"),
    };
    let mut stopped = std::pin::pin!(tokio::signal::ctrl_c());
    loop {
        let outcome = tokio::select! {
            // The signal first: a query whose pages are always ready would otherwise win now and then, and ctrl-c seem
            // ignored.
            biased;
            // If the signal cannot be handled, ctrl-c ends the process as usual.
            Ok(()) = &mut stopped => {
                read.is_stopped = true;
                break;
            }
            outcome = engine.query_items(query.clone()) => outcome.map_err(QueryStopped::Refused),
        };
        let outcome = clear_on_error(outcome, &counter)?;
        let page = outcome.value;
        read.pages += 1;
        read.charge += outcome.charge;
        match (&mut read.explanation, outcome.explanation) {
            (Some(sum), Some(page)) => sum.add(*page),
            (known, page) => *known = known.take().or(page),
        }
        add(&mut read.metrics, &page.metrics);
        counter.suspend(|| rows.page(&page.rows)).map_err(QueryStopped::Output)?;
        counter.set_position(read.metrics.output_items);
        read.continuation = page.continuation;
        // Kept in the totals as well: a run that stops early prints it, and another run goes on from there.
        query.page.continuation.clone_from(&read.continuation);
        let is_enough = paging.pages_max.is_some_and(|pages_max| read.pages >= pages_max);
        if is_enough || read.continuation.is_none() {
            break;
        }
    }
    counter.finish_and_clear();
    Ok(read)
}

/// Removes the counter before an error is printed.
fn clear_on_error<T>(
    result: Result<T, QueryStopped>,
    counter: &ProgressBar,
) -> Result<T, QueryStopped> {
    if result.is_err() {
        counter.finish_and_clear();
    }
    result
}

fn add(sum: &mut QueryMetrics, page: &QueryMetrics) {
    let counts: [(&mut u64, u64); 9] = [
        (&mut sum.index_entries, page.index_entries),
        (&mut sum.index_hits, page.index_hits),
        (&mut sum.index_seeks, page.index_seeks),
        (&mut sum.items_loaded, page.items_loaded),
        (&mut sum.items_scanned, page.items_scanned),
        (&mut sum.retrieved_items, page.retrieved_items),
        (&mut sum.retrieved_bytes, page.retrieved_bytes),
        (&mut sum.output_items, page.output_items),
        (&mut sum.output_bytes, page.output_bytes),
    ];
    for (sum, count) in counts {
        *sum += count;
    }
    let times: [(&mut Duration, Duration); 4] = [
        (&mut sum.compile_time, page.compile_time),
        (&mut sum.index_time, page.index_time),
        (&mut sum.load_time, page.load_time),
        (&mut sum.total_time, page.total_time),
    ];
    for (sum, time) in times {
        *sum += time;
    }
    sum.full_scan |= page.full_scan;
}
