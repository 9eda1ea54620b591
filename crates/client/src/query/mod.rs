//! Queries: a static text, parameters, and the part of the container that they read.
//!
//! The text is `&'static str`, so that no value can be formatted into it. It becomes a [`Query`], which containers
//! accept, only by naming a partition key, a prefix of one, or a reason to read all partitions.

mod page;
mod text;

pub use page::{Page, QueryPageOptions};
pub(crate) use text::QueryScope;
pub use text::{Query, QueryText};
