//! Request units by room: a room that takes too large a share is a hot partition.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::domain::RoomName;

/// Rooms that are counted one by one; the rest is not. Rooms are a fixed list, so this is never reached in practice.
const ROOMS_MAX: usize = 10_000;

/// What each room has cost since the start of this process. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct RoomCharges(Arc<Mutex<BTreeMap<RoomName, f64>>>);

impl RoomCharges {
    pub(crate) fn add(&self, room: &RoomName, charge: f64) {
        let mut rooms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let has_space = rooms.len() < ROOMS_MAX;
        match rooms.get_mut(room) {
            Some(total) => *total += charge,
            None if has_space => {
                rooms.insert(room.clone(), charge);
            }
            None => {}
        }
    }

    /// The request units of each room.
    #[must_use]
    pub fn totals(&self) -> BTreeMap<RoomName, f64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
