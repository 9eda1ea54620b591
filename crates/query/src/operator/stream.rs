//! Running a query row by row.
//!
//! Owns the way of queries that neither group nor order: the rows of an item are known when the item is. Holds nothing
//! but the rows DISTINCT has seen.

use model::Json;

use super::execution::Execution;
use crate::bind::BoundQuery;
use crate::evaluate::{EvaluationContext, EvaluationError, StopReason};
use crate::value::Value;

/// Runs a query without groups and order: items are pushed, and the rows of each come back at once.
#[derive(Debug)]
pub struct RowStream {
    run: Execution,
}

impl RowStream {
    /// Prepares a query; none when its rows must be held back until all items are pushed.
    #[must_use]
    pub fn new(query: &BoundQuery, context: EvaluationContext) -> Option<Self> {
        let run = Execution::new(query, context);
        run.is_streaming().then_some(Self { run })
    }

    /// The rows of an item; none once the stream is complete.
    ///
    /// # Errors
    /// When an expression fails, or DISTINCT must hold more rows than the context allows.
    pub fn push(&mut self, item: &Json) -> Result<Vec<Value>, EvaluationError> {
        let mut rows = Vec::new();
        self.run.push(item, &mut |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Hands the rows of an item over one by one, until the taker says that it has enough: a product of arrays is never
    /// held.
    ///
    /// # Errors
    /// When an expression fails, or DISTINCT must hold more rows than the context allows.
    pub fn push_while(
        &mut self,
        item: &Json,
        mut takes_more: impl FnMut(Value) -> bool,
    ) -> Result<(), EvaluationError> {
        self.run
            .push(item, &mut |row| if takes_more(row) { Ok(()) } else { Err(StopReason::Enough) })
    }

    /// Like [`RowStream::push_while`], from the JSON text of a stored item: only the properties that the query looks at
    /// are parsed, and of an item that the filter drops, only those of the filter.
    ///
    /// # Errors
    /// When the text is not JSON where it is looked at, else as for [`RowStream::push_while`].
    pub fn push_text_while(
        &mut self,
        item: &[u8],
        mut takes_more: impl FnMut(Value) -> bool,
    ) -> Result<(), EvaluationError> {
        let take = &mut |row| if takes_more(row) { Ok(()) } else { Err(StopReason::Enough) };
        self.run.push_text(item, take)
    }

    /// Whether the rows of an item do not depend on the items before it.
    #[must_use]
    pub fn is_stateless(&self) -> bool {
        self.run.is_stateless()
    }

    /// How many array elements were iterated so far, alone or as parts of joined rows.
    #[must_use]
    pub fn tuples(&self) -> u64 {
        self.run.tuples()
    }

    /// Whether no further item can emit a row: TOP or LIMIT is reached, or the query reads no items.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.run.is_complete()
    }

    /// The rows of a query that reads no items; else none are left.
    ///
    /// # Errors
    /// When an expression fails.
    pub fn finish(self) -> Result<Vec<Value>, EvaluationError> {
        let mut rows = Vec::new();
        self.run.finish(&mut |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }
}
