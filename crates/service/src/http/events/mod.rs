//! What happens, told to whoever listens: server-sent events that go on where a listener stopped.

mod ring;
mod stream;

pub use ring::{Event, Events, Listener, Position};
pub use stream::LastEventId;
