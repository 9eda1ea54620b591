//! Lists in pages: how long a page may be, and where the next one starts.

mod cursor;
mod limits;
mod query;

pub use cursor::Cursors;
pub use limits::PageLimits;
pub use query::PageQuery;
