//! Benchmarks of queries: what is touched to answer them, and how that grows with the data.
//!
//! Owns the second table, `benchmarks/QUERIES.md`. Counts come from the engine's own metrics; times are taken at all
//! sizes in turn, so that a busy moment of the machine hits all of them.
//!
//! ```text
//! load one store per size ─► cases: counts and times ─► full scan, with peers ─► text to plan ─► table
//! ```

mod ask;
mod case;
pub(crate) mod data;
mod measure;
mod peer;
mod report;
mod run;

pub(crate) use data::{PARTITION_ITEMS, STOCKS, customer, item};
pub use peer::PeerFigure;
pub use report::{CountedRow, PreparingRow, QueryReport, ScanRow};
pub use run::{QueryOptions, run_queries};
