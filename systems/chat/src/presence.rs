//! Who is here: entries with heartbeats in the ephemeral store, and the connections of this process.
//!
//! A user is gone with its last connection, or when its heartbeat has expired. Presence is never worth a failure: if
//! the store cannot be reached, messages go on.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::broadcast::ClientEvent;
use crate::chat::ChatCore;
use crate::domain::{ChatUser, PresentUser, RoomName, UserName};
use crate::error::{Error, ErrorKind, Result};

/// Beyond so many people, entries that were read are used for a moment.
const MANY: usize = 200;
const MOMENT: Duration = Duration::from_secs(1);

/// The entries that were read last. Whoever arrives is shown who is here, so thousands that arrive together would read
/// all entries thousands of times.
#[derive(Debug, Default)]
pub(crate) struct RecentPresence(Mutex<Option<(Duration, Arc<Vec<PresentUser>>)>>);

/// The connections of this process, by user.
#[derive(Debug, Default)]
pub(crate) struct UserConnections(Mutex<HashMap<UserName, HashSet<String>>>);

impl UserConnections {
    /// Adds a connection; refused beyond `most`.
    pub(crate) fn add(&self, user: &UserName, connection: &str, most: usize) -> Result<()> {
        let mut users = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let connections = users.entry(user.clone()).or_default();
        if connections.len() >= most {
            let text = format!("there are {most} open connections already; close one");
            return Err(Error::new(ErrorKind::Limited, text));
        }
        connections.insert(connection.to_owned());
        Ok(())
    }

    /// Whether this connection is open.
    pub(crate) fn has(&self, user: &UserName, connection: &str) -> bool {
        let users = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        users.get(user).is_some_and(|connections| connections.contains(connection))
    }

    /// Removes a connection; whether it was the last of its user.
    pub(crate) fn remove(&self, user: &UserName, connection: &str) -> bool {
        let mut users = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(connections) = users.get_mut(user) else { return false };
        let was_there = connections.remove(connection);
        let is_last = connections.is_empty();
        if is_last {
            users.remove(user);
        }
        was_there && is_last
    }
}

impl ChatCore {
    /// Writes the entry and the heartbeat of a user.
    pub(crate) async fn beat(&self, user: &ChatUser, room: Option<&RoomName>) -> bool {
        let entry = PresentUser::new(user, room.map(RoomName::as_str));
        let text = serde_json::to_string(&entry).unwrap_or_default();
        let now = self.now().to_string();
        match self.ephemeral.put_presence(&user.user_name, &text, &now).await {
            Ok(()) => true,
            Err(error) => {
                tracing::debug!(%error, "a heartbeat could not be stored");
                false
            }
        }
    }

    /// Removes a user whose last connection is closed, and notifies its room.
    pub(crate) async fn forget_presence(&self, user: &PresentUser) {
        if let Err(error) = self.ephemeral.remove_presence(&user.user_name).await {
            // Its heartbeat expires.
            tracing::debug!(%error, "a presence entry could not be removed");
        }
        self.tell_gone(user).await;
    }

    async fn tell_gone(&self, user: &PresentUser) {
        let room = user.current_room.as_deref().and_then(|room| RoomName::parse(room).ok());
        if let Some(room) = room {
            self.broadcast(&room, ClientEvent::remove_user(user)).await;
            self.broadcast(&room, ClientEvent::presence_changed(&user.user_name, false)).await;
        }
    }

    /// Everybody who is here; of many, as it was a moment ago.
    pub(crate) async fn present_users(&self) -> Result<Arc<Vec<PresentUser>>> {
        let now = self.environment.stopwatch();
        let recent = self.presence.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, users)) =
            recent.filter(|(at, users)| users.len() > MANY && now.saturating_sub(*at) < MOMENT)
        {
            return Ok(users);
        }
        let entries = self.ephemeral.presence().await?;
        let mut users: Vec<PresentUser> =
            entries.iter().filter_map(|(_, text)| serde_json::from_str(text).ok()).collect();
        users.sort_by(|one, other| one.user_name.cmp(&other.user_name));
        let users = Arc::new(users);
        *self.presence.0.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((now, Arc::clone(&users)));
        Ok(users)
    }

    /// Everybody in a room.
    pub(crate) async fn present_in(&self, room: &RoomName) -> Result<Vec<PresentUser>> {
        let users = self.present_users().await?;
        let is_there = |user: &&PresentUser| user.current_room.as_deref() == Some(room.as_str());
        Ok(users.iter().filter(is_there).cloned().collect())
    }

    /// Everybody by room.
    pub(crate) async fn presence_by_room(&self) -> Result<BTreeMap<String, Vec<PresentUser>>> {
        let mut rooms: BTreeMap<String, Vec<PresentUser>> = BTreeMap::new();
        for user in self.present_users().await?.iter() {
            if let Some(room) = user.current_room.clone() {
                rooms.entry(room).or_default().push(user.clone());
            }
        }
        Ok(rooms)
    }

    /// Removes entries without a live heartbeat and notifies their rooms; returns how many.
    pub(crate) async fn sweep_presence(&self) -> Result<usize> {
        // Entries first: a user who arrives in between has a heartbeat that is seen afterwards.
        let present = self.present_users().await?;
        let alive: HashSet<String> = self.ephemeral.heartbeats().await?.into_iter().collect();
        let mut removed = 0;
        for user in present.iter().filter(|user| !alive.contains(&user.user_name)) {
            // Of several processes one removes it and notifies the room.
            if self.ephemeral.remove_presence(&user.user_name).await? {
                removed += 1;
                self.tell_gone(user).await;
            }
        }
        Ok(removed)
    }
}
