//! What happens when data changed: events become notifications and pushes.
//!
//! ```text
//! change feed of notification_events ─► queue (service) ─► dispatch ─► process ─► lists, pushes
//!                ▲                          │
//!                └──────────────────────────┴── sweep: due retries, expired leases and scheduled events
//! ```
//!
//! Every event reaches a worker through the change feed. A worker leases a part of the feed, and all events of a user
//! are in one part, so one worker at a time handles a user's events, in their order. The sweep only writes events back
//! into the feed.

mod attempt_result;
mod clean_devices;
mod dedupe;
mod dispatch;
mod in_app;
mod monotonic_time;
mod process;
mod push;
mod push_plan;
mod run;
mod sweep;
mod unreadable;

pub use clean_devices::DeviceCleanup;
pub use dispatch::{DispatchRound, Dispatcher};
pub use sweep::SweepReport;
