//! The stored types and their rules. Names are those of seed 000.
//!
//! Owns what is valid. Does not own reading or writing (`repository`).

mod content;
mod email;
mod history_cursor;
mod message;
mod message_id;
mod name;
mod reminder;
mod room;
mod user;
mod view;

pub use content::MessageContent;
pub(crate) use email::EmailReservation;
pub use history_cursor::{CursorTies, HistoryCursor};
pub use message::ChatMessage;
pub(crate) use message::is_same_name;
pub(crate) use message_id::ULID_CHARS;
pub use message_id::{MessageIdRequest, MessageIds, RandomMessageIds};
pub use name::{RoomName, UserName};
pub use reminder::UnreadReminder;
pub use room::ChatRoom;
pub use service::timestamp::UtcTimestamp;
pub use user::ChatUser;
pub use view::{MessageView, PresentUser, ProfileView};
