//! Builds a page of rows from candidate items.
//!
//! `projector` turns items into rows, `builder` enforces the limits of a page. There are two ways to fill a page:
//! `streaming` row by row, and `materialized` for results that are known only after all items were read, which
//! `result_store` keeps between pages.

mod builder;
mod materialized;
mod projector;
mod result_store;
mod streaming;

pub(super) use builder::PageBuilder;
pub(super) use materialized::{MaterializedRun, Rest};
pub(super) use projector::RowProjector;
pub(crate) use result_store::ResultStore;
pub(super) use result_store::read_stored_rows;
pub(super) use streaming::StreamingPage;
