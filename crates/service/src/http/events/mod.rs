//! What happens, told to whoever listens: server-sent events that go on where a listener stopped.

mod limit;
mod ring;
mod stream;

pub(crate) use limit::StreamLimit;
pub use ring::{Event, Events, Listener, Position};
pub use stream::OpenStream;
