//! Rows from candidates, one item at a time.
//!
//! Owns the shortcut for queries whose row is the item: its stored text is handed on and not printed again. This is
//! the one place where the text of an item becomes a value for a query. Does not own evaluation.

use ::query::ast::Literal;
use ::query::bind::{Expression, Grouping, Input, Ordering, Projection};
use ::query::value::Value;
use ::query::{BoundQuery, EvaluationContext, EvaluationError, RowStream, row_text};
use bytes::Bytes;

use super::page_rows::{PageRows, Room};
use crate::error::Result;
use crate::query::refusal::failed;
use crate::query::source::Content;

/// Makes the rows of items.
pub(in crate::query) struct RowMaker {
    /// None when there is nothing to compute.
    stream: Option<RowStream>,
    /// Whether each row is the item itself.
    is_item: bool,
    /// Whether there is nothing to ask of an item before.
    is_unfiltered: bool,
}

impl RowMaker {
    /// Prepares a query whose rows need no other items; none when they do. Order, window and DISTINCT are left out:
    /// the page has the window, the source the order, and distinct rows are not made here.
    pub(in crate::query) fn new(bound: &BoundQuery, context: &EvaluationContext) -> Option<Self> {
        if bound.grouping != Grouping::None || bound.sources.is_empty() {
            return None;
        }
        let is_item = gives_item(bound);
        let is_unfiltered = is_item && bound.filter.is_none();
        if is_unfiltered {
            return Some(Self { stream: None, is_item, is_unfiltered });
        }
        let mut plain = bound.clone();
        plain.order_by = Ordering::None;
        (plain.top, plain.offset, plain.limit) = (None, None, None);
        plain.output.distinct = false;
        if is_item {
            // A value that costs nothing stands for the item.
            plain.output.projection = Projection::Value(Expression::Literal(Literal::Bool(true)));
        }
        let stream = RowStream::new(&plain, context.clone())?;
        let is_usable = stream.forgets_items() && !stream.is_complete();
        is_usable.then_some(Self { stream: Some(stream), is_item, is_unfiltered })
    }

    /// Array elements iterated so far.
    pub(in crate::query) fn tuples(&self) -> u64 {
        self.stream.as_ref().map_or(0, RowStream::tuples)
    }

    /// Tells that every candidate passes the filter. What a row is made of is looked at all the same.
    pub(in crate::query) fn trust_source(&mut self) {
        self.is_unfiltered = self.is_item;
    }

    /// Puts the rows of an item on a page, but for the first `begun`. Gives how many rows were seen and how it ended.
    pub(in crate::query) fn push(
        &mut self,
        content: &Content,
        begun: u64,
        page: &mut PageRows,
    ) -> Result<(u64, Room)> {
        let stored = match content {
            Content::Record(record) => Some(record),
            Content::Indexed(_) => None,
        };
        if let (true, Some(record)) = (self.is_unfiltered, stored) {
            let room = page.push(|| Ok::<_, crate::Error>(record.body()))?;
            return Ok((u64::from(room == Room::Taken), room));
        }
        let body = stored.filter(|_| self.is_item).map(|record| record.body());
        let (mut seen, mut room, mut error) = (0, Room::Taken, None);
        let mut take = |row: Value| {
            if seen < begun {
                seen += 1;
                return true;
            }
            match page.push(|| match &body {
                Some(body) => Ok(body.clone()),
                None => row_text(&row).map(Bytes::from),
            }) {
                Ok(Room::Taken) => seen += 1,
                Ok(other) => room = other,
                Err(not_printed) => error = Some(not_printed),
            }
            room == Room::Taken && error.is_none()
        };
        let stream = self.stream.as_mut();
        let stream = stream.expect("a row that is the item needs all of it, which no index holds");
        let pushed = match content {
            Content::Record(record) => stream.push_text_while(record.text(), &mut take),
            Content::Indexed(values) => stream.push_while(values, &mut take),
        };
        let outcome: std::result::Result<(), EvaluationError> =
            pushed.and(error.map_or(Ok(()), Err));
        outcome.map_err(|error| failed(&error))?;
        Ok((seen, room))
    }
}

/// Whether each row of a query is the item it comes from.
fn gives_item(bound: &BoundQuery) -> bool {
    let [source] = bound.sources.as_slice() else { return false };
    let is_item = source.root == Input::Container && source.path.is_empty() && !source.iterates;
    let is_whole = match &bound.output.projection {
        Projection::Input(slot) | Projection::Value(Expression::Input(slot)) => {
            *slot == source.slot
        }
        _ => false,
    };
    is_item && is_whole
}
