//! Events to connected clients, named without the hub that sends them.
//!
//! Owns the list of events and their arguments. Does not own connections or groups (`hub`).

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::domain::{ChatUser, MessageView, PresentUser, ProfileView, RoomName};

/// An event for clients: the name of a method and its argument.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientEvent {
    /// The method that the client is called at.
    pub target: &'static str,
    /// Its argument.
    pub argument: Value,
}

/// Sends events to the clients in a room, of this process and of others.
#[async_trait]
pub trait EventBroadcast: Send + Sync {
    /// Sends to everybody in a room.
    async fn to_room(&self, room: &RoomName, event: ClientEvent);
}

impl ClientEvent {
    fn new(target: &'static str, argument: impl serde::Serialize) -> Self {
        Self { target, argument: serde_json::to_value(argument).unwrap_or_default() }
    }

    pub(crate) fn new_message(view: &MessageView) -> Self {
        Self::new("newMessage", view)
    }

    pub(crate) fn message_changed(view: &MessageView) -> Self {
        Self::new("messageChanged", view)
    }

    pub(crate) fn message_deleted(room: &RoomName, id: &str) -> Self {
        Self::new("messageDeleted", json!({ "id": id, "room": room }))
    }

    pub(crate) fn message_read(id: &str, readers: &[String]) -> Self {
        Self::new("messageRead", json!({ "id": id, "readers": readers }))
    }

    pub(crate) fn add_user(user: &PresentUser) -> Self {
        Self::new("addUser", user)
    }

    pub(crate) fn remove_user(user: &PresentUser) -> Self {
        Self::new("removeUser", user)
    }

    pub(crate) fn presence_changed(user_name: &str, is_present: bool) -> Self {
        Self::new("presenceChanged", json!({ "userName": user_name, "isPresent": is_present }))
    }

    pub(crate) fn presence_snapshot(users: &[PresentUser]) -> Self {
        Self::new("presenceSnapshot", users)
    }

    pub(crate) fn profile(user: &ChatUser) -> Self {
        Self::new("getProfileInfo", ProfileView::from(user))
    }

    pub(crate) fn typing(user_name: &str, room: &RoomName, is_typing: bool) -> Self {
        Self::new("typing", json!({ "userName": user_name, "room": room, "isTyping": is_typing }))
    }

    pub(crate) fn error(text: &str) -> Self {
        Self::new("onError", text)
    }
}
