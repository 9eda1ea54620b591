//! Queries: a text known when the program is built, parameters, and a part of the container.
//!
//! Owns the key guard. The text is `&'static str`, so that no value can be put into it; and it becomes a [`Query`],
//! which is what a container takes, only by naming a partition key, a prefix of one, or a reason to ask everywhere.

mod send;
mod text;

pub use send::{Page, PageOptions};
pub use text::{Query, QueryText};
