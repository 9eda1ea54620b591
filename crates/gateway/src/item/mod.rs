//! Items: single operations, batches, feeds and the change feed.
//!
//! Owns decoding requests into operations of the engine and encoding their results. Does not own any rule about items.

mod batch;
mod body;
mod bulk;
mod change_body;
mod change_feed;
mod delete_by_partition_key;
mod dispatch;
mod list;
mod operation_request;
mod operation_response;
mod patch;
mod read;
mod resource_id;
mod write;

pub(crate) use delete_by_partition_key::delete_by_partition_key;
pub(crate) use dispatch::{handle, handle_feed};
