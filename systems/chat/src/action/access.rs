//! Who may enter which room. `fixedRooms` of the user decides, on every path.

use std::sync::Arc;

use crate::chat::{Chat, ChatCore};
use crate::domain::{ChatRoom, ChatUser, RoomName, UserName};
use crate::error::{Error, ErrorKind, Result};

/// A user who exists and is enabled: the subject of every action.
#[derive(Clone, Debug)]
pub struct ChatMember {
    pub(crate) name: UserName,
    pub(crate) user: Arc<ChatUser>,
}

impl ChatMember {
    /// Who it is.
    #[must_use]
    pub fn name(&self) -> &UserName {
        &self.name
    }

    /// The document.
    #[must_use]
    pub fn user(&self) -> &ChatUser {
        &self.user
    }
}

impl Chat {
    /// The user of this name, if it may do anything.
    ///
    /// # Errors
    /// `Forbidden` for a user that does not exist or is disabled; those of the account.
    pub async fn member(&self, name: &str) -> Result<ChatMember> {
        self.core.member(name).await
    }

    /// The rooms that a user may enter, by name.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn rooms_of(&self, member: &ChatMember) -> Result<Vec<ChatRoom>> {
        let mut names: Vec<_> =
            member.user.fixed_rooms.iter().filter_map(|name| RoomName::parse(name).ok()).collect();
        names.sort_unstable();
        names.dedup();
        let mut rooms = Vec::new();
        for name in names {
            rooms.extend(self.core.directory.room(&name).await?.map(|room| (*room).clone()));
        }
        Ok(rooms)
    }
}

impl ChatCore {
    pub(crate) async fn member(&self, name: &str) -> Result<ChatMember> {
        let refused =
            || Error::new(ErrorKind::Forbidden, "there is no such user, or it is disabled");
        let name = UserName::parse(name).map_err(|_| refused())?;
        let user = self.directory.user(&name).await?.filter(|user| user.is_enabled());
        Ok(ChatMember { user: user.ok_or_else(refused)?, name })
    }

    /// The room, if the user may enter it. A room of others is refused whether or not it exists.
    pub(crate) async fn enter(
        &self,
        member: &ChatMember,
        room: &RoomName,
    ) -> Result<Arc<ChatRoom>> {
        if !member.user.may_enter(room) {
            return Err(Error::new(
                ErrorKind::Forbidden,
                format!("you are no member of the room '{room}'"),
            ));
        }
        let found = self.directory.room(room).await?;
        found.ok_or_else(|| Error::not_found(format!("there is no room '{room}'")))
    }

    /// Whether a user administers the rooms by the settings.
    pub(crate) fn is_admin(&self, name: &UserName) -> bool {
        self.settings.chat.admins.iter().any(|admin| admin == name.as_str())
    }
}
