//! Introduces a time to live. It applies to all messages at once, counted from their last write, so a plan says how
//! many would vanish, and messages to keep can be stamped before.

use client::{
    ContainerProperties, ErrorKind as AccountErrorKind, Json, Patch, PatchOperation, PatchPath,
    Query, TimeToLive,
};
use service::charge::ChargedValue;

use crate::containers::ChatContainers;
use crate::domain::{RoomName, UtcTimestamp};
use crate::error::{Error, Result};
use crate::repository::RoomRepository;

/// What a time to live would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TtlPlan {
    /// What the container has now.
    pub now: TimeToLive,
    /// The planned seconds.
    pub seconds: u32,
    /// Rooms with messages that would vanish at once.
    pub rooms: Vec<RoomExpiry>,
}

/// Messages of a room that would vanish at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomExpiry {
    /// The room.
    pub room: RoomName,
    /// How many.
    pub messages: u64,
}

impl TtlPlan {
    /// All messages that would vanish at once.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.rooms.iter().map(|room| room.messages).sum()
    }
}

/// Says what a time to live would do. Changes nothing.
///
/// # Errors
/// Those of the account.
pub async fn plan_ttl(containers: &ChatContainers, seconds: u32) -> Result<ChargedValue<TtlPlan>> {
    let now = containers.messages.read_properties().await?;
    let limit = oldest_kept(containers, seconds);
    let (mut rooms, mut charge) = (Vec::new(), now.charge);
    for room in RoomRepository::new(containers).get_all().await?.value {
        let query = Query::text(
            "SELECT VALUE COUNT(1) FROM c WHERE c._ts <= @limit AND NOT IS_DEFINED(c.ttl)",
        );
        let query = query.parameter("@limit", limit).within(containers.room_key(&room.name));
        let counted = containers.messages.query::<u64>(&query).await?;
        charge += counted.charge;
        let messages: u64 = counted.value.into_iter().sum();
        if messages > 0 {
            rooms.push(RoomExpiry { room: room.name, messages });
        }
    }
    let plan = TtlPlan { now: now.value.default_time_to_live, seconds, rooms };
    Ok(ChargedValue::new(plan, charge))
}

/// The second of the last write at which a message just expires.
fn oldest_kept(containers: &ChatContainers, seconds: u32) -> i64 {
    let now = UtcTimestamp::now(containers.messages.account().environment());
    let now = i64::try_from(now.ms() / 1000).unwrap_or(i64::MAX);
    now.saturating_sub(i64::from(seconds))
}

/// Sets the time to live. Set `Cosmos:MessagesTtlSeconds` to the same, or the next start takes it back.
///
/// # Errors
/// Those of the account.
pub async fn apply_ttl(containers: &ChatContainers, seconds: u32) -> Result<()> {
    let found = containers.messages.read_properties().await?.value;
    let default_time_to_live = TimeToLive::Seconds(seconds);
    let changed = ContainerProperties { default_time_to_live, ..found };
    containers.messages.replace_properties(changed).await?;
    Ok(())
}

/// Stamps the messages of a room that a time to live would make vanish, so that they stay for ever. Returns how many.
///
/// # Errors
/// Those of the account. Called again, it goes on with the rest.
pub async fn keep_messages(
    containers: &ChatContainers,
    room: &RoomName,
    seconds: u32,
) -> Result<u64> {
    let limit = oldest_kept(containers, seconds);
    let query =
        Query::text("SELECT VALUE c.id FROM c WHERE c._ts <= @limit AND NOT IS_DEFINED(c.ttl)");
    let key = containers.room_key(room);
    let query = query.parameter("@limit", limit).within(key.clone());
    let mut stamped = 0;
    for id in containers.messages.query::<String>(&query).await?.value {
        let path = PatchPath::parse("/ttl").map_err(client::Error::from)?;
        let value = Json::from(-1);
        let patch = Patch::new(vec![PatchOperation::Set { path, value }], None);
        let patch = patch.map_err(client::Error::from)?;
        match containers.messages.patch::<serde_json::Value>(&key, &id, patch, None).await {
            Ok(_) => stamped += 1,
            // Deleted meanwhile.
            Err(error) if error.kind() == AccountErrorKind::NotFound => {}
            Err(error) => return Err(Error::from(error)),
        }
    }
    Ok(stamped)
}
