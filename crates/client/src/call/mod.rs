//! One call on its way: the request as plain data, the reply, and the loop that sends it.
//!
//! Every typed call becomes a [`Request`], so that retries, traces and faults each have one place.

mod reply;
mod request;
mod send;
mod settle;
mod trace;

pub(crate) use reply::{Body, OneChange, Reply};
pub(crate) use request::{At, BatchStep, Part, Request};
pub(crate) use trace::Trace;
