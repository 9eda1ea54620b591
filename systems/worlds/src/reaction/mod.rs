//! What happens after a write: the tree, cascades, paths, the sweep of the trash, streams.
//!
//! ```text
//! WorldEntity ─► change feed ─► worker ─► tree (WorldMetadata)
//!                                  └──► operation: new paths      operations ─► entities, in the background
//! ```

mod cascade;
mod operations;
mod paths;
mod publish;
mod rebuild;
mod reconcile;
mod run;
mod sweep;
mod tree;
mod worker;

pub use reconcile::ReconcileReport;
pub use sweep::TrashSweep;
pub use worker::{TreeWorker, WorkerRound};
