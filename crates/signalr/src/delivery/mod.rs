//! Who receives a message: connections, groups and users on this instance, and the way to other instances.
//!
//! Does not own the queues of a connection; see `connection`.

mod answers;
mod audience;
mod backplane;
mod encoded;
mod event;
mod registry;
mod shared;

pub use answers::ClientAnswer;
pub(crate) use answers::PendingAnswers;
pub use audience::Audience;
pub use backplane::{Backplane, BackplaneTopic, LocalHub};
pub use encoded::EncodedMessage;
pub use event::BackplaneEvent;
pub(crate) use registry::Registry;
pub(crate) use shared::{HubShared, OpenCount};
