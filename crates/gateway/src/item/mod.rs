//! Items on the wire: the verbs, batches, feeds and the change feed.
//!
//! Owns decoding requests into operations and encoding outcomes. Does not own any rule about items.

mod batch;
mod body;
mod bulk;
mod change_feed;
mod change_text;
mod delete_by_partition_key;
mod dispatch;
mod list;
mod operation_text;
mod patch;
mod read;
mod resource_id;
mod result_text;
mod write;

pub(crate) use delete_by_partition_key::delete_by_partition_key;
pub(crate) use dispatch::{feed, single};
