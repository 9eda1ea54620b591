//! The inputs of a query.
//!
//! Owns the prepared form of an input. Does not own the product of several inputs: see `unnest`.

use super::pipeline::Pipeline;
use crate::bind::{BoundSource, Input, PathStep};
use crate::evaluate::Preparation;

/// One input.
#[derive(Debug)]
pub(super) struct PreparedSource {
    pub(super) root: PreparedRoot,
    pub(super) path: Vec<PathStep>,
    pub(super) iterates: bool,
}

/// Where the path of an input starts.
#[derive(Debug)]
pub(super) enum PreparedRoot {
    /// At the pushed item, or at the row of the query that reads the items.
    Item,
    /// At the value of an earlier slot.
    Slot(usize),
    /// At each row of a query that sees the slots before this one.
    Rows(Box<Pipeline>),
}

impl PreparedSource {
    /// Prepares an input that sees the slots known so far. A query that reads the container is returned separately: its
    /// rows will be pushed.
    pub(super) fn prepare(
        source: &BoundSource,
        preparation: &Preparation<'_>,
    ) -> (Self, Option<Box<Pipeline>>) {
        let (root, feed) = match &source.root {
            Input::Container => (PreparedRoot::Item, None),
            Input::Slot(slot) => (PreparedRoot::Slot(*slot), None),
            Input::Query(query) => {
                let query = Box::new(Pipeline::prepare(query, preparation));
                if query.reads_container() {
                    (PreparedRoot::Item, Some(query))
                } else {
                    (PreparedRoot::Rows(query), None)
                }
            }
        };
        (Self { root, path: source.path.clone(), iterates: source.iterates }, feed)
    }
}
