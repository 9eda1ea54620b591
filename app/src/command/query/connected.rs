//! Runs a query on an account behind an endpoint, page by page.
//!
//! Does not own plans and explanations: they are made where the data is, so they need a folder.

use std::io::Write;

use client::{Account, Container, Query, QueryPageOptions};
use model::FeedRange;
use serde_json::value::RawValue;

use super::arguments::Parameter;
use super::rows::RowPrinter;
use crate::error::CommandError;

/// A query for an account.
pub(super) struct ConnectedQuery<'a> {
    pub(super) text: String,
    pub(super) parameters: &'a [Parameter],
    pub(super) feed_range: FeedRange,
    pub(super) page: QueryPageOptions,
    pub(super) pages_max: Option<u64>,
}

/// What was read.
#[derive(Debug, Default)]
pub(super) struct ConnectedTotals {
    pub(super) rows: usize,
    pub(super) pages: u64,
    pub(super) charge: f64,
    pub(super) continuation: Option<String>,
}

impl ConnectedQuery<'_> {
    /// Reads and prints the pages.
    pub(super) async fn run<W: Write>(
        mut self,
        container: &Container,
        rows: &mut RowPrinter<W>,
    ) -> Result<ConnectedTotals, CommandError> {
        let query = self.query();
        let mut totals = ConnectedTotals::default();
        loop {
            let page = container.query_page::<Box<RawValue>>(&query, self.page.clone()).await;
            let page = page.map_err(|error| {
                CommandError::from_error("running the query", &error)
                    .or_hint("correct the text; `planisphere help query` has examples")
            })?;
            totals.pages += 1;
            totals.charge += page.charge;
            totals.rows += page.value.rows.len();
            let texts: Vec<&str> = page.value.rows.iter().map(|row| row.get()).collect();
            rows.page(&texts).map_err(|error| CommandError::output(&error))?;
            totals.continuation = page.value.continuation;
            self.page.continuation.clone_from(&totals.continuation);
            let is_enough = self.pages_max.is_some_and(|pages_max| totals.pages >= pages_max);
            if is_enough || totals.continuation.is_none() {
                return Ok(totals);
            }
        }
    }

    fn query(&self) -> Query {
        // The client takes texts of the program only, so that no value ends up in a query. This program runs the text
        // of its user once and ends.
        let fixed = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
        let mut text = Query::text(fixed(&self.text));
        for (name, value) in self.parameters.iter().map(Parameter::parts) {
            text = text.parameter(fixed(name), value.clone());
        }
        match &self.feed_range {
            FeedRange::PartitionKey(key) => text.within(key.clone()),
            _ => text.fan_out("the user of the command line asks for every partition"),
        }
    }
}

/// Closes an account that was only read.
pub(super) async fn close(account: &Account) {
    // Nothing was written, so a failed close does not affect the rows.
    let _ = account.close().await;
}
