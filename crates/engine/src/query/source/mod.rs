//! Sources of candidate items.
//!
//! One file per access path; each returns candidates in batches, in its own order, from any continuation position on.
//! `selector` chooses among them. A source may return more items than the filter matches, but never fewer: the complete
//! filter is evaluated for each candidate, unless `filter_coverage` shows that the source has done so.

mod candidate;
mod page_reader;

mod expired_items;
mod index_values;
mod item_loader;
mod term;

mod creation;
mod intersection;
mod lookup;
mod merged;
mod min_max;
mod ordered;
mod scan;
mod sorted;

mod filter_coverage;
mod selector;

pub(super) use candidate::{Candidate, CandidateBatch, CandidateSource, ItemContent};
pub(super) use page_reader::PageReader;
pub(super) use selector::AccessPathSelector;
pub(crate) use term::ShapeCache;
