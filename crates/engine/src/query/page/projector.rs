//! Turns candidates into rows, one item at a time.
//!
//! If the row is the item itself, its stored text is returned without parsing and printing it again. Evaluation belongs
//! to the crate `query`.

use ::query::ast::Literal;
use ::query::bind::{BoundOrderBy, Expression, Grouping, Input, OutputProjection};
use ::query::value::Value;
use ::query::{
    BoundQuery, BudgetError, EvaluationContext, EvaluationError, Interruption, QueryExecutor,
    row_text,
};
use bytes::Bytes;

use super::builder::{PageBuilder, RowPush};
use crate::query::source::ItemContent;

/// Evaluates filter and projection of a query for single items.
pub(in crate::query) struct RowProjector {
    /// `None` if nothing needs to be evaluated.
    stream: Option<QueryExecutor>,
    /// Whether each row is the item itself.
    is_item: bool,
    /// Whether the filter need not be evaluated and the stored text is the row.
    is_unfiltered: bool,
    /// The rows of an item that was interrupted at the end of a slice and is pushed again.
    resumed: Option<SeenRows>,
}

/// The rows of one item.
#[derive(Clone, Copy)]
pub(in crate::query) struct SeenRows {
    /// Rows that an earlier page returned.
    pub(in crate::query) begun: u64,
    /// Rows produced so far, including those.
    pub(in crate::query) seen: u64,
}

impl RowProjector {
    /// Prepares a query whose rows depend on one item each; `None` for other queries. The window is left to the page,
    /// and order and DISTINCT to the source, so they are removed from the query that is evaluated here.
    pub(in crate::query) fn new(bound: &BoundQuery, context: &EvaluationContext) -> Option<Self> {
        if bound.grouping != Grouping::None || bound.sources.is_empty() {
            return None;
        }
        let is_item = returns_item(bound);
        let is_unfiltered = is_item && bound.filter.is_none();
        if is_unfiltered {
            return Some(Self { stream: None, is_item, is_unfiltered, resumed: None });
        }
        let mut per_item = bound.clone();
        per_item.order_by = BoundOrderBy::None;
        (per_item.top, per_item.offset, per_item.limit) = (None, None, None);
        per_item.output.distinct = false;
        if is_item {
            // The stored text becomes the row, so project a constant that costs nothing.
            per_item.output.projection =
                OutputProjection::Value(Expression::Literal(Literal::Bool(true)));
        }
        let stream = QueryExecutor::streaming(&per_item, context.clone())?;
        // A stream with state between items (or with a limit of zero) cannot be resumed by skipping rows of one item.
        let is_usable = stream.is_stateless() && !stream.is_complete();
        is_usable.then_some(Self { stream: Some(stream), is_item, is_unfiltered, resumed: None })
    }

    /// The number of array elements iterated so far.
    pub(in crate::query) fn tuples(&self) -> u64 {
        self.stream.as_ref().map_or(0, QueryExecutor::tuples)
    }

    /// Whether an item that was interrupted can be pushed again.
    pub(in crate::query) fn is_resumable(&self) -> bool {
        self.stream.as_ref().is_none_or(QueryExecutor::is_resumable)
    }

    /// The rows of the item that was interrupted last, if it is to be pushed again.
    pub(in crate::query) fn take_resumed(&mut self) -> Option<SeenRows> {
        self.resumed.take()
    }

    /// Whether little of the slice of work is left.
    pub(in crate::query) fn is_slice_low(&self) -> bool {
        self.stream.as_ref().is_some_and(QueryExecutor::is_slice_low)
    }

    /// Gives up the rest of the slice.
    pub(in crate::query) fn end_slice(&self) {
        if let Some(stream) = &self.stream {
            stream.end_slice();
        }
    }

    /// Skips the filter, because every candidate of the source passes it. If the row is not the item itself, the query
    /// is evaluated nevertheless to compute the row.
    pub(in crate::query) fn skip_filter(&mut self) {
        self.is_unfiltered = self.is_item;
    }

    /// Adds the rows of an item to a page, except for those that an earlier page returned. Counts the rows in `rows`,
    /// also if it fails, and returns whether the last one was accepted.
    pub(in crate::query) fn push(
        &mut self,
        content: &ItemContent,
        rows: &mut SeenRows,
        page: &mut PageBuilder,
    ) -> Result<RowPush, EvaluationError> {
        let stored = match content {
            ItemContent::Record(record) => Some(record),
            ItemContent::Indexed(_) => None,
        };
        if let (true, Some(record)) = (self.is_unfiltered, stored) {
            let result = page.push(|| Ok::<_, EvaluationError>(record.body()))?;
            rows.seen += u64::from(result == RowPush::Accepted);
            return Ok(result);
        }
        let body = stored.filter(|_| self.is_item).map(|record| record.body());
        let (mut result, mut error) = (RowPush::Accepted, None);
        let mut take = |row: Value| {
            // Rows of an item come in a fixed order, because they depend on the item alone. So a number identifies
            // them.
            if rows.seen < rows.begun {
                rows.seen += 1;
                return true;
            }
            match page.push(|| match &body {
                Some(body) => Ok(body.clone()),
                None => row_text(&row).map(Bytes::from),
            }) {
                Ok(RowPush::Accepted) => rows.seen += 1,
                Ok(other) => result = other,
                Err(not_printed) => error = Some(not_printed),
            }
            result == RowPush::Accepted && error.is_none()
        };
        let stream = self.stream.as_mut();
        let stream = stream.expect("a row that is the item needs all of it, which no index holds");
        let pushed = match content {
            ItemContent::Record(record) => stream.push_text_while(record.text(), &mut take),
            ItemContent::Indexed(values) => stream.push_while(values, &mut take),
        };
        if let Err(EvaluationError::Budget(BudgetError::Interrupted(Interruption::SliceEnded))) =
            pushed
        {
            self.resumed = Some(*rows);
        }
        pushed.and(error.map_or(Ok(()), Err))?;
        Ok(result)
    }
}

/// Whether each row of a query is the item it comes from.
fn returns_item(bound: &BoundQuery) -> bool {
    let [source] = bound.sources.as_slice() else { return false };
    let is_item = source.root == Input::Container && source.path.is_empty() && !source.iterates;
    let is_whole = match &bound.output.projection {
        OutputProjection::Input(slot) | OutputProjection::Value(Expression::Input(slot)) => {
            *slot == source.slot
        }
        _ => false,
    };
    is_item && is_whole
}
