//! Copying a container into another one: to another account, under another partition key, or both.
//!
//! Owns the conversion of items (`convert`), what a page of changes does to the target (`target_write`), the loop along
//! the change feed (`run`), the budget of request units (`pacer`), the position that survives a crash (`checkpoint`),
//! and the comparison at the end (`verify`). Does not own how a transform computes, where a checkpoint is stored, nor
//! progress output.
//!
//! ```text
//! CopyPlan ─► prepare (target created) ─► run: page of changes ─► convert ─► upserts ─► checkpoint ─┐
//!                                          ▲                                                        │
//!                                          └──────────────── until nothing is new ◄─────────────────┘
//!                                        verify: digests of both sides ─► differences in unequal slices
//! ```
//!
//! **Idempotent.** Items are upserted with their own ids, so writing a page twice changes nothing. A checkpoint is
//! saved after its page was written, never before: losing one costs time and request units, but no items.
//!
//! **Where the checkpoint is stored.** The caller brings a [`CheckpointStore`]; the binary uses a file. A container in
//! the target account would survive the machine, but it costs throughput, needs the permission to create containers,
//! and stays behind in somebody's database. A lost file costs a second pass over the source and nothing else, because
//! copying is idempotent. Two checks guard against a wrong file: it names the plan it belongs to, and it is ignored if
//! the target is empty or was just created.
//!
//! **Deletions.** If the source keeps all versions (by its change feed policy, or continuous backup), the copy also
//! replays all versions since its beginning, including deletions. From any other source, and if a copy is interrupted
//! for longer than versions are kept, deletions are not seen, nor is the old address of an item whose new key changed.
//! Such items stay in the target as extra items; [`ContainerCopy::verify`] finds them, and deletes them on request.

mod checkpoint;
mod convert;
mod error;
mod feed_order;
mod pacer;
mod plan;
mod run;
mod slices;
mod target_write;
mod verify;

pub use checkpoint::{Checkpoint, CheckpointStore};
pub use convert::{IdentityTransform, RejectedItem, RejectedItems, Transform};
pub use error::CopyError;
pub use plan::{ContainerCopy, CopyPlan, OnMissingTarget, OnRejected};
pub use run::{CopyProgress, CopySummary, StopCondition};
pub use verify::{CopyVerification, Difference, DifferenceKind, OnExtraItem};
