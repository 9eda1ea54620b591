//! A room, as the container `rooms` stores it.

use serde::{Deserialize, Serialize};

use super::RoomName;

/// One room. Its id is its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatRoom {
    /// Equal to the name.
    pub id: String,
    /// The partition key.
    pub name: RoomName,
    /// Reserved.
    #[serde(default)]
    pub admin: Option<String>,
    /// User names of its members: a copy of their `fixedRooms`.
    #[serde(default)]
    pub users: Vec<String>,
    /// Seconds that messages of this room live; the setting of the container when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention_seconds: Option<u32>,
}

impl ChatRoom {
    /// A room without members.
    #[must_use]
    pub fn new(name: RoomName) -> Self {
        let (id, users) = (name.as_str().to_owned(), Vec::new());
        Self { id, name, admin: None, users, retention_seconds: None }
    }
}
