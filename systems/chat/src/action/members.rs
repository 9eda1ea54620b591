//! Administration: users, their rooms, and the list of members that each room keeps of them.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::chat::{Chat, ChatCore};
use crate::domain::{ChatRoom, ChatUser, RoomName, UserName, is_same_name};
use crate::error::{Error, Result};

/// What an administrator changes of a user. What is absent stays.
#[derive(Clone, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct UserChange {
    /// The whole name.
    pub full_name: Option<String>,
    /// A picture.
    pub avatar: Option<String>,
    /// The mail address.
    pub email: Option<String>,
    /// The mobile number.
    pub mobile: Option<String>,
    /// Whether the user may sign in.
    pub enabled: Option<bool>,
    /// The name at the issuer.
    pub upn: Option<String>,
    /// The room to start in.
    pub default_room: Option<String>,
}

/// What the repair of the lists of members has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberRepair {
    /// Rooms whose list was wrong.
    pub rooms_changed: usize,
}

impl Chat {
    /// Creates a user.
    ///
    /// # Errors
    /// `Conflict` if the name or the mail address is taken, `Invalid`; those of the account.
    pub async fn create_user(&self, user: &ChatUser) -> Result<ChatUser> {
        let core = &self.core;
        let name = parse_name(&user.user_name)?;
        if core.users.get_by_user_name(&name).await?.value.is_some() {
            return Err(Error::conflict(format!("there is a user '{name}' already")));
        }
        core.check_rooms(&user.fixed_rooms).await?;
        let created = core.users.upsert(user).await?.value;
        core.directory.forget_user(&name);
        core.mirror_rooms(&name, &[], &created.fixed_rooms).await?;
        Ok(created)
    }

    /// Changes a user.
    ///
    /// # Errors
    /// `NotFound`, `Invalid`, `Conflict`; those of the account.
    pub async fn change_user(&self, name: &str, change: UserChange) -> Result<ChatUser> {
        let (name, mut user) = self.core.known_user(name).await?;
        let UserChange { full_name, avatar, email, mobile, enabled, upn, default_room } = change;
        user.full_name = full_name.or(user.full_name);
        user.avatar = avatar.or(user.avatar);
        user.email = email.or(user.email);
        user.mobile = mobile.or(user.mobile);
        user.enabled = enabled.or(user.enabled);
        user.upn = upn.or(user.upn);
        user.default_room = default_room.or(user.default_room);
        let changed = self.core.users.upsert(&user).await?.value;
        self.core.directory.forget_user(&name);
        Ok(changed)
    }

    /// Sets the rooms of a user, and the lists of members of those rooms.
    ///
    /// # Errors
    /// `NotFound`, `Invalid` for a room that does not exist; those of the account.
    pub async fn set_user_rooms(&self, name: &str, rooms: &[String]) -> Result<ChatUser> {
        let core = &self.core;
        let (name, mut user) = core.known_user(name).await?;
        core.check_rooms(rooms).await?;
        let before = std::mem::replace(&mut user.fixed_rooms, rooms.to_vec());
        let changed = core.users.upsert(&user).await?.value;
        core.directory.forget_user(&name);
        core.mirror_rooms(&name, &before, rooms).await?;
        Ok(changed)
    }

    /// Creates a room.
    ///
    /// # Errors
    /// `Conflict`, `Invalid`; those of the account.
    pub async fn create_room(
        &self,
        name: &str,
        retention_seconds: Option<u32>,
    ) -> Result<ChatRoom> {
        let name = RoomName::parse(name).map_err(|why| Error::invalid_field("name", why))?;
        self.core.check_retention(retention_seconds)?;
        let room = ChatRoom { retention_seconds, ..ChatRoom::new(name.clone()) };
        let created = self.core.rooms.create(&room).await?.value;
        self.core.directory.forget_room(&name);
        Ok(created)
    }

    /// Sets how long messages of a room live; `None` for the setting of the container. Stored messages keep theirs.
    ///
    /// # Errors
    /// `NotFound`, `Invalid` if `Features:RoomRetention` is off; those of the account.
    pub async fn set_retention(&self, name: &str, seconds: Option<u32>) -> Result<ChatRoom> {
        let name = RoomName::parse(name).map_err(|why| Error::invalid_field("name", why))?;
        self.core.check_retention(seconds)?;
        let changed =
            self.core.rooms.change(&name, |room| room.retention_seconds = seconds).await?;
        self.core.directory.forget_room(&name);
        changed.value.ok_or_else(|| Error::not_found(format!("there is no room '{name}'")))
    }

    /// Makes the lists of members of all rooms those of `fixedRooms` of all users.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn rebuild_members(&self) -> Result<MemberRepair> {
        self.core.rebuild_members().await
    }
}

impl ChatCore {
    async fn known_user(&self, name: &str) -> Result<(UserName, ChatUser)> {
        let name = parse_name(name)?;
        let user = self.users.get_by_user_name(&name).await?.value;
        let user = user.ok_or_else(|| Error::not_found(format!("there is no user '{name}'")))?;
        Ok((name, user))
    }

    fn check_retention(&self, seconds: Option<u32>) -> Result<()> {
        match seconds {
            None => Ok(()),
            Some(_) if !self.settings.features.room_retention => {
                Err(Error::invalid_field("retentionSeconds", "Features:RoomRetention is off"))
            }
            Some(0) => Err(Error::invalid_field("retentionSeconds", "at least 1 second")),
            Some(_) => Ok(()),
        }
    }

    async fn check_rooms(&self, rooms: &[String]) -> Result<()> {
        for room in rooms {
            let name =
                RoomName::parse(room).map_err(|why| Error::invalid_field("fixedRooms", why))?;
            if self.rooms.get_by_name(&name).await?.value.is_none() {
                let why = format!("there is no room '{name}'");
                return Err(Error::invalid_field("fixedRooms", why));
            }
        }
        Ok(())
    }

    /// Brings the lists of members up to date after a user's rooms have changed.
    async fn mirror_rooms(&self, name: &UserName, before: &[String], now: &[String]) -> Result<()> {
        let parsed = |rooms: &[String], others: &[String]| -> Vec<RoomName> {
            let changed = rooms.iter().filter(|room| !others.contains(room));
            changed.filter_map(|room| RoomName::parse(room).ok()).collect()
        };
        for room in parsed(now, before) {
            self.rooms.add_user(&room, name).await?;
            self.directory.forget_room(&room);
        }
        for room in parsed(before, now) {
            self.rooms.remove_user(&room, name).await?;
            self.directory.forget_room(&room);
        }
        Ok(())
    }

    pub(crate) async fn rebuild_members(&self) -> Result<MemberRepair> {
        let mut members: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for user in self.users.get_all().await?.value {
            for room in &user.fixed_rooms {
                let list = members.entry(room.clone()).or_default();
                if !list.iter().any(|one| is_same_name(one, &user.user_name)) {
                    list.push(user.user_name.clone());
                }
            }
        }
        let mut repair = MemberRepair::default();
        for room in self.rooms.get_all().await?.value {
            let right = members.remove(room.name.as_str()).unwrap_or_default();
            if room.users != right {
                self.rooms.change(&room.name, |room| room.users.clone_from(&right)).await?;
                self.directory.forget_room(&room.name);
                repair.rooms_changed += 1;
            }
        }
        Ok(repair)
    }
}

fn parse_name(name: &str) -> Result<UserName> {
    UserName::parse(name).map_err(|why| Error::invalid_field("userName", why))
}
