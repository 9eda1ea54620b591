//! Runs a query on an account behind an endpoint, page by page.
//!
//! Pages come through the client library. If it refuses the first one of a query over all partitions, the server is
//! asked to merge it. Does not own plans and explanations: they are made where the data is, so they need a folder.

use std::io::Write;

use client::{Account, Container, Query, QueryPageOptions};
use model::FeedRange;
use serde_json::value::RawValue;

use super::arguments::Parameter;
use super::merged::{MergedPage, MergingServer};
use super::rows::RowPrinter;
use crate::error::CommandError;

/// A query for an account.
pub(super) struct ConnectedQuery<'a> {
    pub(super) text: String,
    pub(super) parameters: &'a [Parameter],
    pub(super) feed_range: FeedRange,
    pub(super) page: QueryPageOptions,
    pub(super) pages_max: Option<u64>,
    /// The server behind the endpoint.
    pub(super) server: Option<MergingServer>,
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
        let mut is_merged = false;
        loop {
            let page = if is_merged {
                self.merged_page().await?
            } else {
                let page = container.query_page::<Box<RawValue>>(&query, self.page.clone()).await;
                match page {
                    Ok(page) => MergedPage {
                        rows: page.value.rows,
                        charge: page.charge,
                        continuation: page.value.continuation,
                    },
                    Err(error) => {
                        let refused = CommandError::from_error("running the query", &error)
                            .or_hint("correct the text; `planisphere help query` has examples");
                        is_merged = true;
                        // Whatever else is wrong is said better by the first refusal.
                        self.merged_page().await.map_err(|_| refused)?
                    }
                }
            };
            totals.pages += 1;
            totals.charge += page.charge;
            totals.rows += page.rows.len();
            let texts: Vec<&str> = page.rows.iter().map(|row| row.get()).collect();
            rows.page(&texts).map_err(|error| CommandError::output(&error))?;
            totals.continuation = page.continuation;
            self.page.continuation.clone_from(&totals.continuation);
            let is_enough = self.pages_max.is_some_and(|pages_max| totals.pages >= pages_max);
            if is_enough || totals.continuation.is_none() {
                return Ok(totals);
            }
        }
    }

    /// The next page, merged by the server. An error unless the query is over all partitions.
    async fn merged_page(&self) -> Result<MergedPage, CommandError> {
        match (&self.server, &self.feed_range) {
            (Some(server), FeedRange::Container) => {
                server.page(&self.text, self.parameters, &self.page).await
            }
            _ => Err(CommandError::new("running the query", "no server merges it")),
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
