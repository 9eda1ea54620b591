//! Benchmarks of the fan-out of a SignalR hub: messages into rooms, beside bare WebSockets on axum and Node's `ws`.
//!
//! Owns the table `benchmarks/FAN_OUT.md`. Each server is a process of its own; the clients are in this one and the
//! same for all sides, and receivers get the same bytes. The machine is rarely idle, so sides are compared by the CPU
//! time of the server for each delivered message.

mod descriptors;
mod load;
mod report;
mod rooms;
mod run;
mod serve;

pub(crate) use descriptors::raise_descriptor_limit;
pub(crate) use load::{Speech, measure};
pub use report::{FanOutReport, RoomFigures, SideFigures};
pub use run::{FanOutOptions, run_fan_out};
pub(crate) use serve::{serve_bare, serve_hub};
