//! Streaming the rows of a query.
//!
//! Owns running queries that neither group nor order: the rows of an item are known when the item is pushed. Keeps
//! nothing but the rows that DISTINCT has seen.

use model::Json;

use super::execution::Execution;
use crate::bind::BoundQuery;
use crate::evaluate::{EvaluationContext, EvaluationError, StopReason};
use crate::value::Value;

/// Runs a query without groups and order: push an item, get its rows.
#[derive(Debug)]
pub struct RowStream {
    run: Execution,
}

impl RowStream {
    /// Prepares a query; `None` if its rows must wait until all items are pushed.
    #[must_use]
    pub fn new(query: &BoundQuery, context: EvaluationContext) -> Option<Self> {
        let run = Execution::new(query, context);
        run.is_streaming().then_some(Self { run })
    }

    /// Pushes an item and returns its rows; none once the stream is complete.
    ///
    /// # Errors
    /// If an expression fails, or DISTINCT must keep more rows than the context allows.
    pub fn push(&mut self, item: &Json) -> Result<Vec<Value>, EvaluationError> {
        let mut rows = Vec::new();
        self.run.push(item, &mut |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Pushes an item and passes its rows to `takes_more` one by one, until that returns false. So a product of arrays
    /// is never materialized.
    ///
    /// # Errors
    /// If an expression fails, or DISTINCT must keep more rows than the context allows.
    pub fn push_while(
        &mut self,
        item: &Json,
        mut takes_more: impl FnMut(Value) -> bool,
    ) -> Result<(), EvaluationError> {
        self.run
            .push(item, &mut |row| if takes_more(row) { Ok(()) } else { Err(StopReason::Enough) })
    }

    /// Like [`RowStream::push_while`], from the JSON text of a stored item. Only the properties that the query reads
    /// are parsed, and of an item that the filter rejects, only those of the filter.
    ///
    /// # Errors
    /// If the parsed part of the text is not JSON, otherwise as for [`RowStream::push_while`].
    pub fn push_text_while(
        &mut self,
        item: &[u8],
        mut takes_more: impl FnMut(Value) -> bool,
    ) -> Result<(), EvaluationError> {
        let take = &mut |row| if takes_more(row) { Ok(()) } else { Err(StopReason::Enough) };
        self.run.push_text(item, take)
    }

    /// Whether the rows of an item do not depend on earlier items.
    #[must_use]
    pub fn is_stateless(&self) -> bool {
        self.run.is_stateless()
    }

    /// The number of array elements iterated so far, alone or as parts of joined rows.
    #[must_use]
    pub fn tuples(&self) -> u64 {
        self.run.tuples()
    }

    /// Whether an item that was interrupted at the end of a slice can be pushed again: only the rows that are missing
    /// are then evaluated. Otherwise the query must run where slices never end.
    #[must_use]
    pub fn is_resumable(&self) -> bool {
        self.run.is_resumable()
    }

    /// Whether little of the slice of work is left, so that the next item might not fit.
    #[must_use]
    pub fn is_slice_low(&self) -> bool {
        self.run.is_slice_low()
    }

    /// Gives up the rest of the slice: the next item asks the governor for a new one.
    pub fn end_slice(&self) {
        self.run.end_slice();
    }

    /// Whether no further item can produce a row: TOP or LIMIT is reached, or the query reads no items.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.run.is_complete()
    }

    /// Returns the rows of a query that reads no items; any other query has none left.
    ///
    /// # Errors
    /// If an expression fails.
    pub fn finish(self) -> Result<Vec<Value>, EvaluationError> {
        let mut rows = Vec::new();
        self.run.finish(&mut |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }
}
