//! Users and rooms, remembered for a few seconds: every message asks who its sender is and which rooms it may enter.
//!
//! What changed is seen after `Chat:UserCacheSeconds` at the latest, in this process at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use client::Environment;

use crate::domain::{ChatRoom, ChatUser, RoomName, UserName};
use crate::error::Result;
use crate::repository::{RoomRepository, UserRepository};
use crate::settings::ChatSettings;

/// Entries of one kind. Beyond it all are forgotten, which only costs reads.
const ENTRIES_MAX: usize = 10_000;

/// Remembers users and rooms.
pub(crate) struct Directory {
    users: UserRepository,
    rooms: RoomRepository,
    environment: Environment,
    life: Duration,
    known_users: RecentValues<UserName, ChatUser>,
    known_rooms: RecentValues<RoomName, ChatRoom>,
}

/// Values by key, with the time until which they are trusted.
struct RecentValues<K, V>(Mutex<HashMap<K, TrustedValue<V>>>);

/// `None` if the key had no value.
type TrustedValue<V> = (Option<Arc<V>>, Duration);

impl<K: std::hash::Hash + Eq + Clone, V> RecentValues<K, V> {
    fn new() -> Self {
        Self(Mutex::default())
    }

    fn get(&self, key: &K, now: Duration) -> Option<Option<Arc<V>>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(key).filter(|(_, until)| *until > now).map(|(value, _)| value.clone())
    }

    fn put(&self, key: &K, value: Option<Arc<V>>, until: Duration) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= ENTRIES_MAX {
            known.clear();
        }
        known.insert(key.clone(), (value, until));
    }

    fn forget(&self, key: &K) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}

impl Directory {
    pub(crate) fn new(
        users: &UserRepository,
        rooms: &RoomRepository,
        environment: &Environment,
        settings: &ChatSettings,
    ) -> Self {
        Self {
            users: users.clone(),
            rooms: rooms.clone(),
            environment: environment.clone(),
            life: Duration::from_secs(settings.chat.user_cache_seconds),
            known_users: RecentValues::new(),
            known_rooms: RecentValues::new(),
        }
    }

    pub(crate) async fn user(&self, name: &UserName) -> Result<Option<Arc<ChatUser>>> {
        let now = self.now();
        if let Some(known) = self.known_users.get(name, now) {
            return Ok(known);
        }
        let found = self.users.get_by_user_name(name).await?.value.map(Arc::new);
        self.known_users.put(name, found.clone(), now + self.life);
        Ok(found)
    }

    pub(crate) async fn room(&self, name: &RoomName) -> Result<Option<Arc<ChatRoom>>> {
        let now = self.now();
        if let Some(known) = self.known_rooms.get(name, now) {
            return Ok(known);
        }
        let found = self.rooms.get_by_name(name).await?.value.map(Arc::new);
        self.known_rooms.put(name, found.clone(), now + self.life);
        Ok(found)
    }

    pub(crate) fn forget_user(&self, name: &UserName) {
        self.known_users.forget(name);
    }

    pub(crate) fn forget_room(&self, name: &RoomName) {
        self.known_rooms.forget(name);
    }

    /// By the clock and not the stopwatch, so that tests travel.
    fn now(&self) -> Duration {
        Duration::from_millis(self.environment.now().0)
    }
}
