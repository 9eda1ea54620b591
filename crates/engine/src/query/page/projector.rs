//! Turns candidates into rows, one item at a time.
//!
//! If the row is the item itself, its stored text is returned without parsing and printing it again. Evaluation belongs
//! to the crate `query`.

use ::query::ast::Literal;
use ::query::bind::{BoundOrderBy, Expression, Grouping, Input, OutputProjection};
use ::query::value::Value;
use ::query::{BoundQuery, EvaluationContext, EvaluationError, RowStream, row_text};
use bytes::Bytes;

use super::builder::{PageBuilder, RowPush};
use crate::error::Result;
use crate::query::error::evaluation_failed;
use crate::query::source::ItemContent;

/// Evaluates filter and projection of a query for single items.
pub(in crate::query) struct RowProjector {
    /// `None` if nothing needs to be evaluated.
    stream: Option<RowStream>,
    /// Whether each row is the item itself.
    is_item: bool,
    /// Whether the filter need not be evaluated and the stored text is the row.
    is_unfiltered: bool,
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
            return Some(Self { stream: None, is_item, is_unfiltered });
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
        let stream = RowStream::new(&per_item, context.clone())?;
        // A stream with state between items (or with a limit of zero) cannot be resumed by skipping rows of one item.
        let is_usable = stream.is_stateless() && !stream.is_complete();
        is_usable.then_some(Self { stream: Some(stream), is_item, is_unfiltered })
    }

    /// The number of array elements iterated so far.
    pub(in crate::query) fn tuples(&self) -> u64 {
        self.stream.as_ref().map_or(0, RowStream::tuples)
    }

    /// Skips the filter, because every candidate of the source passes it. If the row is not the item itself, the query
    /// is evaluated nevertheless to compute the row.
    pub(in crate::query) fn skip_filter(&mut self) {
        self.is_unfiltered = self.is_item;
    }

    /// Adds the rows of an item to a page, except for the first `begun`, which an earlier page returned. Returns how
    /// many rows were produced, and whether the last one was accepted.
    pub(in crate::query) fn push(
        &mut self,
        content: &ItemContent,
        begun: u64,
        page: &mut PageBuilder,
    ) -> Result<(u64, RowPush)> {
        let stored = match content {
            ItemContent::Record(record) => Some(record),
            ItemContent::Indexed(_) => None,
        };
        if let (true, Some(record)) = (self.is_unfiltered, stored) {
            let result = page.push(|| Ok::<_, crate::Error>(record.body()))?;
            return Ok((u64::from(result == RowPush::Accepted), result));
        }
        let body = stored.filter(|_| self.is_item).map(|record| record.body());
        let (mut seen, mut result, mut error) = (0, RowPush::Accepted, None);
        let mut take = |row: Value| {
            // Rows of an item come in a fixed order, because they depend on the item alone. So a number identifies
            // them.
            if seen < begun {
                seen += 1;
                return true;
            }
            match page.push(|| match &body {
                Some(body) => Ok(body.clone()),
                None => row_text(&row).map(Bytes::from),
            }) {
                Ok(RowPush::Accepted) => seen += 1,
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
        let evaluated: std::result::Result<(), EvaluationError> =
            pushed.and(error.map_or(Ok(()), Err));
        evaluated.map_err(|error| evaluation_failed(&error))?;
        Ok((seen, result))
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
