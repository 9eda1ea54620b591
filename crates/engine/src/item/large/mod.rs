//! Long item writes: what takes long is done outside of the partition writer and of the runtime's workers.
//!
//! ```text
//! run (writer) ─► committed
//!      │ too long
//!      ▼
//! look (writer: stored versions, policies, ordinals) ─► prepare (thread) ─► run (writer) ─► committed
//!      ▲                                                  changed meanwhile │
//!      └────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Owns which transactions can be prepared, and how. A transaction has an allowance of bytes that it may parse and
//! index inside the writer (`ItemTransaction::spend`), so that no write can take long there, whatever its kind.

mod discard;
mod look;
mod prepare;
mod rehearsal;
mod steps;

pub(crate) use look::PreparationBasis;
pub(crate) use prepare::{PreparableTransaction, PreparationTurns, WritePreparation};
pub(crate) use rehearsal::rehearse;
pub(crate) use steps::prepare_removals;
