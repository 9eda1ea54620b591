//! How candidates become a page.
//!
//! Owns rows from candidates (`rows`), the page with its limits (`page_rows`) and the two ways to fill it: row by row
//! (`stream`), or from an answer that is known only as a whole (`whole`). Does not own where candidates come from.

mod page_rows;
mod rows;
mod stream;
mod whole;

pub(super) use page_rows::PageRows;
pub(super) use rows::RowMaker;
pub(super) use stream::fill;
pub(super) use whole::compute;
