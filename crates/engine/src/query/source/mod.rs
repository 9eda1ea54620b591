//! Where the items of a query come from.
//!
//! Owns one file per kind of access, each of which gives candidates in an order of its own, in batches, from any
//! place on. Does not own what becomes of a candidate: the whole filter is asked again of each, unless the source
//! says that it answers it; so a source may give more than the filter wants, and never less.

mod candidate;
mod reading;

mod expired;
mod index_values;
mod loading;
mod term;

mod extreme;
mod lookup;
mod merged;
mod narrow;
mod ordered;
mod scan;
mod sorted;

mod served;

mod choice;

pub(super) use candidate::{Batch, Content};
pub(super) use choice::{Choice, Source};
pub(super) use reading::Reading;
pub(crate) use term::ShapeCache;
