//! Copying a container into another one: another place, another partition key, or both.
//!
//! Owns the way of an item from a source to a target (`convert`), what a page of changes does to the target (`step`),
//! the loop along the change feed (`run`), the budget of request units (`pace`), the position that survives a crash
//! (`checkpoint`), and the comparison at the end (`verify`). Does not own how a transform computes (the caller's),
//! where a checkpoint is kept, nor what is drawn on a terminal.
//!
//! ```text
//! Plan ─► Copy::prepare (target made) ─► run: page of changes ─► convert ─► upserts ─► checkpoint ─┐
//!                                         ▲                                                        │
//!                                         └──────────────── until nothing is new ◄─────────────────┘
//!                                       verify: digests of both sides ─► differences of the slices that differ
//! ```
//!
//! **Idempotent.** Items are upserted under their own ids, so doing a page twice changes nothing. A checkpoint is kept
//! after the page it stands for was written, never before; what is lost with it is time and request units.
//!
//! **Where the checkpoint is kept.** The caller brings a [`Checkpoints`]; the binary uses a file. A container in the
//! target would survive the machine, but it costs throughput on an account of the service, needs the right to create
//! containers, and stays behind in somebody's database. A lost file costs a second pass over the source and nothing
//! else, because copying is idempotent. Two checks keep a file from lying: it names the plan it belongs to, and it is
//! left aside when the target is empty or was made just now.
//!
//! **Deletions.** A source that keeps all versions (its change feed policy, or continuous backup) tells them: such a
//! copy also replays all versions since its beginning, deletions included. From any other source, and while a copy is
//! away for longer than versions are kept, they are not heard, nor the old place of an item whose new key changed.
//! Such items stay in the target as extra items; [`Copy::verify`] finds them, and removes them if told to.

mod checkpoint;
mod convert;
mod error;
mod pace;
mod plan;
mod run;
mod slices;
mod step;
mod verify;

pub use checkpoint::{Checkpoint, Checkpoints};
pub use convert::{RefusedItem, RefusedItems, Transform, Unchanged};
pub use error::CopyError;
pub use plan::{Copy, OnMissing, OnRefused, Plan};
pub use run::{Copied, Progress, Until};
pub use verify::{Difference, DifferenceKind, OnExtra, Verification};
