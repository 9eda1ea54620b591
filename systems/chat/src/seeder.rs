//! Default rooms and users, for an empty database.

use crate::chat::ChatCore;
use crate::domain::{ChatRoom, ChatUser, RoomName};
use crate::error::{Error, ErrorKind, Result};

/// The rooms of an empty database.
pub const DEFAULT_ROOMS: [&str; 3] = ["general", "ops", "random"];

/// What the seeder added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeedReport {
    /// Rooms.
    pub rooms: usize,
    /// Users.
    pub users: usize,
}

/// The users of an empty database.
#[must_use]
pub fn default_users() -> [ChatUser; 3] {
    [
        ChatUser::new("alice@example.com", "Alice Johnson", &["general", "ops"]),
        ChatUser::new("bob@example.com", "Bob Smith", &["general", "random"]),
        ChatUser::new("charlie@example.com", "Charlie Brown", &["general"]),
    ]
}

impl ChatCore {
    /// Adds the default rooms if there is no room, and the default users if there is no user, each on its own.
    pub(crate) async fn seed(&self) -> Result<SeedReport> {
        let mut report = SeedReport::default();
        if self.rooms.get_all().await?.value.is_empty() {
            for name in DEFAULT_ROOMS {
                let name = RoomName::parse(name).map_err(Error::internal)?;
                match self.rooms.create(&ChatRoom::new(name)).await {
                    Ok(_) => report.rooms += 1,
                    // Another process seeds at the same time.
                    Err(error) if error.kind() == ErrorKind::Conflict => {}
                    Err(error) => return Err(error),
                }
            }
        }
        if !self.users.find_any().await? {
            for user in default_users() {
                self.users.upsert(&user).await?;
                report.users += 1;
            }
            self.rebuild_members().await?;
        }
        Ok(report)
    }
}
