//! Requests to a backend and their responses, as plain data.
//!
//! Every typed call becomes a [`BackendRequest`], so that retries, traces and injected faults are each implemented
//! once.

mod operation;
mod response;

pub(crate) use operation::{BackendRequest, ItemAddress};
pub(crate) use response::{BackendResponse, RawChange, ResponseBody};
