//! Request options: preconditions, patches, consistency level, indexing directive; and the request charge.
//!
//! Owns these types and their wire names. Does not own operations or their results.

mod consistency_level;
mod indexing_directive;
mod patch;
mod precondition;
mod request_charge;
mod trace_context;

pub use consistency_level::ConsistencyLevel;
pub use indexing_directive::IndexingDirective;
pub use patch::{Patch, PatchError, PatchOperation, PatchPath};
pub use precondition::{EtagPattern, Precondition, PreconditionResult};
pub use request_charge::RequestCharge;
pub use trace_context::TraceContext;
