//! The hub at `/chatHub`: what clients call over SignalR, and the events that they get.
//!
//! Owns connections, groups and the current room of each connection. Does not own any rule (`action`) nor the protocol
//! (`signalr`). A refusal is the event `onError` to its caller, as in the original.

mod authenticate;
mod backplane;
mod current_room;
mod methods;
mod serve;

pub use serve::ChatHub;
