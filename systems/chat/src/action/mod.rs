//! What people do, as methods of the system: each checks who may, then calls the repositories and notifies the room.
//!
//! The hub, the routes and the commands all come through here, so a rule is checked on every path.

mod access;
mod erase;
mod export;
mod members;
mod message;
mod search;
mod send;
mod unread;
mod webhook;

pub use access::ChatMember;
pub use export::RoomExport;
pub use members::{MemberRepair, UserChange};
pub use message::MessageAddress;
pub use search::SearchCursor;
pub use send::{SendRequest, SentMessage};
pub use unread::RoomUnread;
pub use webhook::IncomingHook;
