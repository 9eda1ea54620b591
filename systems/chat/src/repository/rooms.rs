//! Rooms: lookup, listing, members. Rooms are seeded and administered; nobody creates one by using it.

use client::{Container, ErrorKind as AccountErrorKind, Query};
use service::charge::ChargedValue;

use super::all_pages::all_pages;
use crate::containers::ChatContainers;
use crate::domain::{ChatRoom, RoomName, UserName, is_same_name};
use crate::error::{Error, Result};

/// The container `rooms`.
#[derive(Clone, Debug)]
pub struct RoomRepository {
    rooms: Container,
}

impl RoomRepository {
    pub(crate) fn new(containers: &ChatContainers) -> Self {
        Self { rooms: containers.rooms.clone() }
    }

    /// A room by its name: a point read.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn get_by_name(&self, name: &RoomName) -> Result<ChargedValue<Option<ChatRoom>>> {
        match self.rooms.read::<ChatRoom>(&name.as_str().into(), name.as_str()).await {
            Ok(found) => Ok(ChargedValue::new(Some(found.value.value), found.charge)),
            Err(error) if error.kind() == AccountErrorKind::NotFound => {
                Ok(ChargedValue::new(None, error.charge()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A room by its id, which is its name.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn get_by_id(&self, id: &str) -> Result<ChargedValue<Option<ChatRoom>>> {
        match RoomName::parse(id) {
            Ok(name) => self.get_by_name(&name).await,
            Err(_) => Ok(ChargedValue::new(None, 0.0)),
        }
    }

    /// All rooms, by name.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn get_all(&self) -> Result<ChargedValue<Vec<ChatRoom>>> {
        let query = Query::text("SELECT * FROM c ORDER BY c.name");
        all_pages(&self.rooms, "rooms.get_all", query.fan_out("all rooms are listed")).await
    }

    /// Creates a room, for administrators and the seeder.
    ///
    /// # Errors
    /// `Conflict` if there is one of this name; those of the account.
    pub async fn create(&self, room: &ChatRoom) -> Result<ChargedValue<ChatRoom>> {
        match self.rooms.create(&room.name.as_str().into(), room).await {
            Ok(created) => Ok(ChargedValue::new(created.value.value, created.charge)),
            Err(error) if error.kind() == AccountErrorKind::Conflict => {
                Err(Error::conflict(format!("there is a room '{}' already", room.name)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Adds a member, once and without case; `None` if there is no such room.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn add_user(
        &self,
        room: &RoomName,
        user: &UserName,
    ) -> Result<ChargedValue<Option<ChatRoom>>> {
        self.change(room, |room| {
            if !room.users.iter().any(|one| is_same_name(one, user.as_str())) {
                room.users.push(user.as_str().to_owned());
            }
        })
        .await
    }

    /// Removes a member, without case; `None` if there is no such room.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn remove_user(
        &self,
        room: &RoomName,
        user: &UserName,
    ) -> Result<ChargedValue<Option<ChatRoom>>> {
        self.change(room, |room| room.users.retain(|one| !is_same_name(one, user.as_str()))).await
    }

    /// Changes a room; `None` if there is none. Nothing is written if nothing changes.
    ///
    /// # Errors
    /// Those of the account.
    pub(crate) async fn change(
        &self,
        room: &RoomName,
        mut apply: impl FnMut(&mut ChatRoom),
    ) -> Result<ChargedValue<Option<ChatRoom>>> {
        let key = room.as_str().into();
        let changed = self.rooms.modify(&key, room.as_str(), |room| {
            apply(room);
            Ok::<_, client::Error>(())
        });
        match changed.await {
            Ok(changed) => Ok(ChargedValue::new(Some(changed.value.value), changed.charge)),
            Err(error) if error.kind() == AccountErrorKind::NotFound => {
                Ok(ChargedValue::new(None, error.charge()))
            }
            Err(error) => Err(error.into()),
        }
    }
}
