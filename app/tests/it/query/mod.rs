//! `planisphere query` as a user runs it.

mod ask;
mod explanation;
mod format;
mod paging;
mod refusal;
mod stopping;
