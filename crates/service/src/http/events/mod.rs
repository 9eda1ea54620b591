//! Server-sent events with a bounded history, so that a listener that reconnects continues where it stopped.

mod limit;
mod ring;
mod stream;

pub(super) use limit::StreamLimit;
pub use ring::{EventId, EventListener, EventRing, ServerEvent};
pub use stream::EventStreamRequest;
