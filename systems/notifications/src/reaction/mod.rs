//! What is done when data changed: events on their way to lists and devices.
//!
//! ```text
//! change feed of notification_events ─► queue (service) ─► dispatch ─► process ─► lists, pushes
//!                ▲                          │
//!                └──────────────────────────┴── sweep: retries due, lost leases, scheduled events wait again
//! ```
//!
//! Every event goes through the change feed, so that events of one user are told in their order by one worker at a
//! time; the sweep only puts events back into it.

mod clean_devices;
mod damaged;
mod dispatch;
mod earlier;
mod health;
mod in_app;
mod order;
mod outcome;
mod plan;
mod process;
mod push;
mod run;
mod step;
mod sweep;
mod work;

pub use clean_devices::Cleaned;
pub use dispatch::{Dispatcher, Round};
pub use health::{Done, Health};
pub use step::{Step, StepWatch};
pub use sweep::Swept;
