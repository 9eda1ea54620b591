//! Inputs: where a slot gets its value from.
//!
//! Owns the prepared form of an input. Does not own the walk over several inputs: see `unnest`.

use super::query::Query;
use crate::bind::{BoundSource, Input, PathStep};
use crate::evaluate::Preparation;

/// One input.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) root: Root,
    pub(super) path: Vec<PathStep>,
    pub(super) iterates: bool,
}

/// Where an input starts.
#[derive(Debug)]
pub(super) enum Root {
    /// At the item, or at the row of the query that reads the items.
    Given,
    /// At the value of an earlier slot.
    Slot(usize),
    /// At each row of a query that sees the slots before this one.
    Rows(Box<Query>),
}

impl Source {
    /// Prepares an input that sees the slots known so far. A query that reads the container is handed back beside it:
    /// its rows will be given.
    pub(super) fn prepare(
        source: &BoundSource,
        preparation: &Preparation<'_>,
    ) -> (Self, Option<Box<Query>>) {
        let (root, feed) = match &source.root {
            Input::Container => (Root::Given, None),
            Input::Slot(slot) => (Root::Slot(*slot), None),
            Input::Query(query) => {
                let query = Box::new(Query::prepare(query, preparation));
                if query.reads_container() {
                    (Root::Given, Some(query))
                } else {
                    (Root::Rows(query), None)
                }
            }
        };
        (Self { root, path: source.path.clone(), iterates: source.iterates }, feed)
    }
}
