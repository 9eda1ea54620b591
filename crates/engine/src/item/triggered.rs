//! A write with triggers, as plain data.
//!
//! Owns what the verbs hand over when a request names triggers. Does not own their execution: see `script`.

use model::{ItemId, MeasuredJson, PartitionKey};

use crate::metering::OperationKind;
use crate::operation::WriteOptions;

/// A write with triggers.
pub(crate) struct TriggeredWrite {
    pub(crate) kind: OperationKind,
    pub(crate) partition_key: Option<PartitionKey>,
    /// The item to replace or delete.
    pub(crate) id: Option<ItemId>,
    /// The item of the request; none in a delete.
    pub(crate) item: Option<MeasuredJson>,
    pub(crate) options: WriteOptions,
}
