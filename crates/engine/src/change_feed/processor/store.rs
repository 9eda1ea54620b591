//! Reading and writing leases.
//!
//! Owns the ids of a processor's items in the lease container and the form of the two markers: `<prefix>.info` says
//! that the leases exist, `<prefix>.lock` that somebody is making them. Does not own who may hold a lease.

use std::time::Duration;

use model::{EpkRange, Json, Object, ResourceId, TimestampMs};

use super::keyed::{KeyedContainer, Lifetime, Place};
use super::lease::{Lease, age, integer, parse_range, range_text};
use crate::change_feed::ChangeFeedMode;
use crate::{Error, ErrorKind, Item, Result};

pub(crate) struct LeaseStore {
    items: KeyedContainer,
    prefix: String,
    monitored: ResourceId,
    mode: ChangeFeedMode,
}

/// The outcome of an attempt to make the leases alone.
pub(crate) enum Lock {
    Taken(Item),
    Elsewhere,
}

impl LeaseStore {
    pub(crate) fn new(
        items: KeyedContainer,
        prefix: String,
        monitored: ResourceId,
        mode: ChangeFeedMode,
    ) -> Self {
        Self { items, prefix, monitored, mode }
    }

    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The resource id of the container whose positions the leases hold.
    pub(crate) fn monitored(&self) -> &ResourceId {
        &self.monitored
    }

    /// The leases in the order of their ranges.
    pub(crate) async fn list(&self) -> Result<Vec<Lease>> {
        let mut leases = Vec::new();
        for item in self.items.list(&self.prefix).await? {
            let json = item.to_json();
            if self.is_lease(json.get("id").and_then(Json::as_str).unwrap_or_default()) {
                leases.push(Lease::from_item(&item)?);
            }
        }
        leases.sort_by(|left, right| left.range.cmp(&right.range));
        Ok(leases)
    }

    /// Creates a lease; none when there is one already.
    pub(crate) async fn create(&self, lease: &Lease) -> Result<Option<Lease>> {
        let id = self.lease_id(&lease.range);
        let created =
            self.items.create(self.place(&id), self.object(lease), Lifetime::Unlimited).await;
        match created {
            Ok(item) => Ok(Some(Lease { etag: Some(item.etag()), ..lease.clone() })),
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replaces a lease if it is still as last seen; none when it is not.
    pub(crate) async fn replace(&self, lease: &Lease) -> Result<Option<Lease>> {
        let id = self.lease_id(&lease.range);
        match self.items.replace(self.place(&id), self.object(lease), lease.etag).await {
            Ok(item) => Ok(Some(Lease { etag: Some(item.etag()), ..lease.clone() })),
            Err(error) if is_superseded(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Deletes a lease if it is still as last seen.
    pub(crate) async fn delete(&self, lease: &Lease) -> Result<()> {
        let id = self.lease_id(&lease.range);
        ignore_superseded(self.items.delete(self.place(&id), lease.etag).await)
    }

    /// Whether the leases were made; refuses leases made for something else.
    pub(crate) async fn is_initialised(&self) -> Result<bool> {
        let id = self.info_id();
        let Some(item) = self.items.read(self.place(&id)).await? else { return Ok(false) };
        let json = item.to_json();
        let same =
            |name: &str, expected: &str| json.get(name).and_then(Json::as_str) == Some(expected);
        if same("monitored", &self.monitored.to_string()) && same("Mode", mode_text(self.mode)) {
            return Ok(true);
        }
        Err(Error::new(
            ErrorKind::Invalid,
            format!(
                "The leases of processor '{}' belong to another container or another change feed mode. Choose \
                 another name, or delete its items from the lease container.",
                self.prefix
            ),
        ))
    }

    pub(crate) async fn mark_initialised(&self) -> Result<()> {
        let mut object = Object::new();
        object.insert("monitored", self.monitored.to_string());
        object.insert("Mode", mode_text(self.mode));
        let id = self.info_id();
        match self.items.create(self.place(&id), object, Lifetime::Unlimited).await {
            Err(error) if error.kind() != ErrorKind::Conflict => Err(error),
            _ => Ok(()),
        }
    }

    /// Takes the lock. One left behind by a crashed instance is removed once it is older than `expiry`, which matters
    /// only where the container expires nothing.
    pub(crate) async fn lock(&self, now: TimestampMs, expiry: Duration) -> Result<Lock> {
        let id = self.lock_id();
        let place = self.place(&id);
        let mut object = Object::new();
        object.insert("timestamp", integer(now.0));
        match self.items.create(place, object, Lifetime::AtMost(expiry)).await {
            Ok(item) => return Ok(Lock::Taken(item)),
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(error),
        }
        if let Some(item) = self.items.read(place).await? {
            let json = item.to_json();
            let taken = json.get("timestamp").and_then(Json::as_i64).unwrap_or_default();
            let taken = TimestampMs(u64::try_from(taken).unwrap_or_default());
            if age(taken, now) >= expiry {
                ignore_superseded(self.items.delete(place, Some(item.etag())).await)?;
            }
        }
        Ok(Lock::Elsewhere)
    }

    pub(crate) async fn unlock(&self, lock: &Item) -> Result<()> {
        let id = self.lock_id();
        ignore_superseded(self.items.delete(self.place(&id), Some(lock.etag())).await)
    }

    fn object(&self, lease: &Lease) -> Object {
        let mut object = lease.to_object();
        object.insert("Mode", mode_text(self.mode));
        object
    }

    fn place<'place>(&'place self, id: &'place str) -> Place<'place> {
        Place { group: &self.prefix, id }
    }

    fn is_lease(&self, id: &str) -> bool {
        let rest = id.strip_prefix(self.prefix.as_str()).and_then(|rest| rest.strip_prefix(".."));
        rest.and_then(parse_range).is_some()
    }

    fn lease_id(&self, range: &EpkRange) -> String {
        format!("{}..{}", self.prefix, range_text(range))
    }

    fn info_id(&self) -> String {
        format!("{}.info", self.prefix)
    }

    fn lock_id(&self) -> String {
        format!("{}.lock", self.prefix)
    }
}

/// Somebody else has written or deleted it since.
fn is_superseded(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::PreconditionFailed | ErrorKind::NotFound)
}

fn ignore_superseded(result: Result<()>) -> Result<()> {
    match result {
        Err(error) if !is_superseded(&error) => Err(error),
        _ => Ok(()),
    }
}

fn mode_text(mode: ChangeFeedMode) -> &'static str {
    match mode {
        ChangeFeedMode::LatestVersion => "LatestVersion",
        ChangeFeedMode::AllVersionsAndDeletes => "AllVersionsAndDeletes",
    }
}
