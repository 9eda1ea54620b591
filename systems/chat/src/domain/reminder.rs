//! A message that nobody has read yet, and when its room is reminded of it.

use super::RoomName;

/// What a reminder is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnreadReminder {
    /// The room.
    pub room: RoomName,
    /// The id of the message in it.
    pub message_id: String,
}

impl UnreadReminder {
    /// Its text in queues. Ids have no space in them.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{} {}", self.message_id, self.room)
    }

    /// Reads the text.
    #[must_use]
    pub fn parse(key: &str) -> Option<Self> {
        let (message_id, room) = key.split_once(' ')?;
        let room = RoomName::parse(room).ok()?;
        Some(Self { room, message_id: message_id.to_owned() })
    }
}
