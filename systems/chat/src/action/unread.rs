//! Unread counts by room and user: two point reads instead of a count over messages.
//!
//! A room counts its messages in one item; a user's item has the count of each room when the user saw it last. The
//! difference is what is unread. Both are items of `chat_state`.

use std::collections::BTreeMap;

use client::{Container, ErrorKind as AccountErrorKind, Number, Patch, PatchOperation, PatchPath};
use serde::{Deserialize, Serialize};
use service::charge::{ChargeMeter, ChargedValue};

use super::ChatMember;
use crate::chat::{Chat, ChatCore};
use crate::domain::{RoomName, UserName};
use crate::error::{Error, Result};

/// The unread messages of one room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RoomUnread {
    /// The room.
    pub room: String,
    /// How many messages came since the caller saw the room last.
    pub unread: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct RoomCount {
    id: String,
    kind: String,
    messages: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SeenCounts {
    id: String,
    kind: String,
    #[serde(default)]
    rooms: BTreeMap<String, u64>,
}

impl Chat {
    /// The unread counts of a member, in one room or in all of them.
    ///
    /// # Errors
    /// `NotFound` if `Features:UnreadCounts` is off, `Forbidden` in a room of others; those of the account.
    pub async fn unread(
        &self,
        member: &ChatMember,
        room: Option<&RoomName>,
    ) -> Result<ChargedValue<Vec<RoomUnread>>> {
        let core = &self.core;
        core.require_unread_counts()?;
        let rooms = match room {
            Some(room) => vec![core.enter(member, room).await?.name.clone()],
            None => self.rooms_of(member).await?.into_iter().map(|room| room.name).collect(),
        };
        let mut meter = ChargeMeter::default();
        let seen = read_seen(&core.containers.state, &member.name, &mut meter).await?;
        let mut counts = Vec::new();
        for room in rooms {
            let count = read_count(&core.containers.state, &room, &mut meter).await?;
            let seen = seen.get(room.as_str()).copied().unwrap_or(0);
            let unread = count.saturating_sub(seen);
            counts.push(RoomUnread { room: room.as_str().to_owned(), unread });
        }
        Ok(meter.finish(counts))
    }

    /// A member has seen a room up to now.
    ///
    /// # Errors
    /// As for [`Chat::unread`].
    pub async fn mark_room_seen(
        &self,
        member: &ChatMember,
        room: &RoomName,
    ) -> Result<ChargedValue<()>> {
        let core = &self.core;
        core.require_unread_counts()?;
        core.enter(member, room).await?;
        core.permit_mark_read(&member.name).await?;
        let mut meter = ChargeMeter::default();
        let count = read_count(&core.containers.state, room, &mut meter).await?;
        write_seen(&core.containers.state, &member.name, room, count, &mut meter).await?;
        Ok(meter.finish(()))
    }
}

impl ChatCore {
    fn require_unread_counts(&self) -> Result<()> {
        if self.settings.features.unread_counts {
            return Ok(());
        }
        Err(Error::not_found("Features:UnreadCounts is off"))
    }

    /// Counts a new message, and its sender as one who has seen it. Returns the charge. A failure leaves a count that
    /// is one too low, which the log says; the message is stored already.
    pub(crate) async fn count_message_of(&self, room: &RoomName, from: &UserName) -> f64 {
        if !self.settings.features.unread_counts {
            return 0.0;
        }
        let mut meter = ChargeMeter::default();
        let state = &self.containers.state;
        let counted = async {
            let count = increment(state, room, &mut meter).await?;
            write_seen(state, from, room, count, &mut meter).await
        };
        if let Err(error) = counted.await {
            tracing::warn!(%room, %error, "a message could not be counted");
        }
        meter.total()
    }
}

fn count_id(room: &RoomName) -> String {
    format!("count {room}")
}

/// The id of a user's item; erasure deletes it.
pub(crate) fn seen_id(user: &str) -> String {
    format!("seen {user}")
}

async fn increment(state: &Container, room: &RoomName, meter: &mut ChargeMeter) -> Result<u64> {
    let id = count_id(room);
    let key = id.as_str().into();
    for _ in 0..2 {
        let path = PatchPath::parse("/messages").map_err(client::Error::from)?;
        let increment = PatchOperation::Increment { path, by: Number::from(1) };
        let patch = Patch::new(vec![increment], None).map_err(client::Error::from)?;
        match state.patch::<RoomCount>(&key, &id, patch, None).await {
            Ok(patched) => return Ok(meter.record(patched).value.messages),
            Err(error) if error.kind() == AccountErrorKind::NotFound => meter.record_error(&error),
            Err(error) => return Err(error.into()),
        }
        let first = RoomCount { id: id.clone(), kind: "roomCount".to_owned(), messages: 1 };
        match state.create(&key, &first).await {
            Ok(created) => return Ok(meter.record(created).value.messages),
            // Another first message of the room was faster.
            Err(error) if error.kind() == AccountErrorKind::Conflict => meter.record_error(&error),
            Err(error) => return Err(error.into()),
        }
    }
    Err(Error::unavailable(format!("the count of the room '{room}' comes and goes")))
}

async fn read_count(state: &Container, room: &RoomName, meter: &mut ChargeMeter) -> Result<u64> {
    let id = count_id(room);
    match state.read::<RoomCount>(&id.as_str().into(), &id).await {
        Ok(found) => Ok(meter.record(found).value.messages),
        Err(error) if error.kind() == AccountErrorKind::NotFound => {
            meter.record_error(&error);
            Ok(0)
        }
        Err(error) => Err(error.into()),
    }
}

async fn read_seen(
    state: &Container,
    user: &UserName,
    meter: &mut ChargeMeter,
) -> Result<BTreeMap<String, u64>> {
    let id = seen_id(user.as_str());
    match state.read::<SeenCounts>(&id.as_str().into(), &id).await {
        Ok(found) => Ok(meter.record(found).value.rooms),
        Err(error) if error.kind() == AccountErrorKind::NotFound => {
            meter.record_error(&error);
            Ok(BTreeMap::new())
        }
        Err(error) => Err(error.into()),
    }
}

/// Counts only go up: a slower request must not take back what a faster one has seen.
async fn write_seen(
    state: &Container,
    user: &UserName,
    room: &RoomName,
    count: u64,
    meter: &mut ChargeMeter,
) -> Result<()> {
    let id = seen_id(user.as_str());
    let key = id.as_str().into();
    let raise = |seen: &mut SeenCounts| {
        let known = seen.rooms.entry(room.as_str().to_owned()).or_default();
        *known = count.max(*known);
        Ok::<_, client::Error>(())
    };
    match state.modify(&key, &id, raise).await {
        Ok(modified) => {
            meter.record(modified);
            return Ok(());
        }
        Err(error) if error.kind() == AccountErrorKind::NotFound => meter.record_error(&error),
        Err(error) => return Err(error.into()),
    }
    let mut first =
        SeenCounts { id: id.clone(), kind: "seenCounts".to_owned(), rooms: BTreeMap::new() };
    first.rooms.insert(room.as_str().to_owned(), count);
    match state.create(&key, &first).await {
        Ok(created) => meter.record(created),
        Err(error) if error.kind() == AccountErrorKind::Conflict => {
            meter.record(state.modify(&key, &id, raise).await?)
        }
        Err(error) => return Err(error.into()),
    };
    Ok(())
}
