//! A lease: the right of one instance to read one epk range until it expires, with its position.
//!
//! Owns the plain data and its form as an item. Does not own writing it: see `store`.

use std::fmt;
use std::time::Duration;

use model::{
    EffectivePartitionKey, EpkRange, Etag, Json, Lsn, Object, TimestampMs, TimestampSeconds,
};

use crate::change_feed::{ChangeFeedPosition, ChangeFeedStart, RangePosition};
use crate::{Error, ErrorKind, Item, Result};

const FORM_VERSION: i64 = 1;

/// One running processor, by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance(String);

impl Instance {
    /// The instance of that name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// Its name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Up to where the epk range of a lease is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeasePosition {
    /// Nothing is handled; the first change to handle is the first of that second or later.
    From(TimestampSeconds),
    /// Everything up to and including this lsn is handled.
    After(Lsn),
}

impl LeasePosition {
    /// Where a reader of `range` starts.
    pub(crate) fn start(self, range: &EpkRange) -> ChangeFeedStart {
        match self {
            Self::From(time) => ChangeFeedStart::Time(time),
            Self::After(lsn) => ChangeFeedStart::Position(ChangeFeedPosition {
                ranges: vec![RangePosition { range: range.clone(), lsn }],
            }),
        }
    }

    /// The lsn, zero when nothing is handled.
    #[must_use]
    pub fn lsn(self) -> Lsn {
        match self {
            Self::From(_) => Lsn::ZERO,
            Self::After(lsn) => lsn,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lease {
    pub(crate) range: EpkRange,
    pub(crate) owner: Option<Instance>,
    pub(crate) position: LeasePosition,
    pub(crate) renewed: TimestampMs,
    /// Changes parked so far.
    pub(crate) parked: u64,
    /// The version last seen in the lease container; none before the first write.
    pub(crate) etag: Option<Etag>,
}

impl Lease {
    pub(crate) fn is_expired(&self, now: TimestampMs, expiry: Duration) -> bool {
        age(self.renewed, now) >= expiry
    }

    /// The properties that are the lease's own; the store adds the id and the partition key.
    pub(crate) fn to_object(&self) -> Object {
        let mut range = Object::new();
        range.insert("min", self.range.min.to_string());
        range.insert("max", self.range.max.to_string());
        let mut feed_range = Object::new();
        feed_range.insert("Range", range);
        let mut object = Object::new();
        object.insert("version", FORM_VERSION);
        object.insert("LeaseToken", range_text(&self.range));
        object.insert("FeedRange", feed_range);
        let owner = self.owner.as_ref().map_or(Json::Null, |owner| Json::from(owner.as_str()));
        object.insert("Owner", owner);
        match self.position {
            LeasePosition::After(lsn) => {
                object.insert("ContinuationToken", format!("\"{lsn}\""));
            }
            LeasePosition::From(time) => {
                object.insert("ContinuationToken", Json::Null);
                object.insert("startTime", integer(time.0));
            }
        }
        object.insert("timestamp", integer(self.renewed.0));
        object.insert("parked", integer(self.parked));
        object
    }

    pub(crate) fn from_item(item: &Item) -> Result<Self> {
        let json = item.to_json();
        let damaged = || {
            Error::new(
                ErrorKind::Corrupt,
                format!("the lease {json} is damaged; delete it or restore it"),
            )
        };
        Self::parse(&json, item.etag()).ok_or_else(damaged)
    }

    fn parse(json: &Json, etag: Etag) -> Option<Self> {
        let number = |name: &str| u64::try_from(json.get(name)?.as_i64()?).ok();
        let position = match json.get("ContinuationToken").and_then(Json::as_str) {
            Some(text) => LeasePosition::After(Lsn(text.trim_matches('"').parse().ok()?)),
            None => LeasePosition::From(TimestampSeconds(number("startTime")?)),
        };
        Some(Self {
            range: parse_range(json.get("LeaseToken")?.as_str()?)?,
            owner: json.get("Owner")?.as_str().filter(|name| !name.is_empty()).map(Instance::new),
            position,
            renewed: TimestampMs(number("timestamp")?),
            parked: number("parked").unwrap_or_default(),
            etag: Some(etag),
        })
    }
}

/// A range as part of an item id: `<min>-<max>` in hexadecimal digits.
pub(crate) fn range_text(range: &EpkRange) -> String {
    format!("{}-{}", range.min, range.max)
}

pub(crate) fn parse_range(text: &str) -> Option<EpkRange> {
    let (min, max) = text.split_once('-')?;
    let bound = |text| EffectivePartitionKey::from_hex(text).ok();
    let range = EpkRange::new(bound(min)?, bound(max)?);
    (!range.is_empty()).then_some(range)
}

/// How long ago `then` was.
pub(crate) fn age(then: TimestampMs, now: TimestampMs) -> Duration {
    Duration::from_millis(now.0.saturating_sub(then.0))
}

pub(crate) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_survives_its_text() {
        let cut = EffectivePartitionKey::from_hex("0A1B").unwrap();
        let (lower, upper) = EpkRange::full().split_at(&cut).unwrap();
        for range in [EpkRange::full(), lower, upper] {
            assert_eq!(parse_range(&range_text(&range)), Some(range));
        }
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["", "-", "FF-", ".-FF", "-FF.12.a", "FF-00", "0-FF"] {
            assert_eq!(parse_range(text), None, "{text}");
        }
    }

    #[test]
    fn a_lease_survives_its_item() {
        let etag = Etag::new(1, 2, TimestampSeconds(3));
        for position in [LeasePosition::After(Lsn(43)), LeasePosition::From(TimestampSeconds(9))] {
            for owner in [None, Some(Instance::new("one"))] {
                let lease = Lease {
                    range: EpkRange::full(),
                    owner,
                    position,
                    renewed: TimestampMs(1_800_000_000_123),
                    parked: 2,
                    etag: Some(etag),
                };
                assert_eq!(Lease::parse(&lease.to_object().into(), etag), Some(lease));
            }
        }
    }
}
