//! One connection of a client, whichever transport carries it: its queues, its life and its invocations.
//!
//! Does not own bytes on the network (see `transport`) nor who receives a broadcast (see `delivery`).

mod close;
mod dispatch;
mod driver;
mod ending;
mod hub_connection;
mod inbox;
mod invocation;
mod opening;
mod outbox;
mod received;
mod replay;
mod timers;
mod upload;

pub(crate) use close::CloseCause;
pub use close::DisconnectReason;
pub(crate) use driver::drive;
pub(crate) use hub_connection::{Attachment, HubConnection, RequestIdentity, TransportKind, lock};
pub(crate) use inbox::{Inbound, TransportEnd};
pub(crate) use invocation::{Call, CallBinder, ItemStream};
pub(crate) use outbox::{OutboxLimits, Taken};
pub use upload::UploadStream;
