//! Who is mentioned in a message hears of it: in a program that also runs the notifications.

use async_trait::async_trait;

use crate::domain::{RoomName, UserName};

/// A user was mentioned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserMention {
    /// Who is mentioned.
    pub user: UserName,
    /// By whom.
    pub by: UserName,
    /// In which room.
    pub room: RoomName,
    /// In which message.
    pub message_id: String,
}

/// Hears of mentions.
#[async_trait]
pub trait MentionReceiver: Send + Sync {
    /// A user was mentioned. A failure is the receiver's to log: the message is sent already.
    async fn mentioned(&self, mention: UserMention);
}
