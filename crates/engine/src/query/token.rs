//! Where a page of a query ended.
//!
//! Owns the places a query can go on from, and their bytes inside a continuation token. A place names no physical
//! partition: it is made of keys, epks, values and ordinals, which splits and merges keep. A token holds a
//! fingerprint of its query, so that it continues no other one, and the epks it was made for: after a split, clients go
//! on with it on each of the new ranges.

use bytes::Bytes;
use model::value::{array_hash, structural_hash, text_hash};
use model::{ContinuationToken, EffectivePartitionKey, EpkRange, FeedRange, ResourceId};
use storage::StorageKey;

use super::refusal::token_refused;
use super::request::QueryItems;
use crate::error::{Error, ErrorKind, Result};

const TOKEN_KIND: &str = "query";
const TOKEN_VERSION: u8 = 3;
/// Room for the place of an ordinary query.
const TOKEN_BYTES: usize = 192;

/// A place in the terms of a path or composite index: after this term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TermPlace {
    /// The encoded value or values.
    pub(super) value: Bytes,
    /// The item.
    pub(super) ordinal: u64,
}

/// A part of the epks in which a lookup has begun: the branches before this one are read, and of this one the terms
/// up to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BegunPart {
    pub(super) range: EpkRange,
    pub(super) branch: u32,
    pub(super) term: TermPlace,
}

/// Up to where everything is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// Nothing is.
    #[default]
    Start,
    /// Items up to this key, in the order of keys.
    Scan(StorageKey),
    /// Everything below the first of these parts, and of each of them what it says. They follow each other; more than
    /// one are begun after a split.
    Lookup(Vec<BegunPart>),
    /// Of the items in the order of an index, those up to this one.
    Ordered(TermPlace),
    /// So many rows of an answer that is computed as a whole each time.
    Rows(u64),
}

/// How far a query is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    pub(super) place: Place,
    /// Rows skipped and rows given so far.
    pub(super) skipped: u64,
    pub(super) taken: u64,
    /// Items behind the place some of whose rows were given already: ordinals, and how many. More than one when a split
    /// has put others before one that was begun.
    pub(super) begun: Vec<(u64, u64)>,
    /// Which lookups the place belongs to; zero when it belongs to none.
    pub(super) plan: u128,
}

impl Progress {
    /// The place of a request: that of its token, or the start.
    pub(super) fn of(operation: &QueryItems, container: &ResourceId) -> Result<Self> {
        let Some(token) = &operation.page.continuation else { return Ok(Self::default()) };
        let (version, payload) = ContinuationToken::decode(token, TOKEN_KIND, container)
            .map_err(|invalid| Error::new(ErrorKind::ContinuationRefused, invalid.message()))?;
        if version != TOKEN_VERSION {
            return Err(token_refused(&format!("version {version} is not known")));
        }
        let mut bytes = Reader { rest: payload.into() };
        if bytes.u128().ok_or_else(damaged)? != fingerprint(operation) {
            return Err(token_refused(
                "it continues another query, other parameters or another partition key",
            ));
        }
        let made_for = bytes.range().ok_or_else(damaged)?;
        let progress = bytes.progress().filter(|_| bytes.rest.is_empty()).ok_or_else(damaged)?;
        let asked = epks(operation);
        let is_inside = made_for.intersect(&asked).as_ref() == Some(&asked);
        // Rows that are counted are those of the whole range.
        let is_counted = progress.skipped > 0 || matches!(progress.place, Place::Rows(_));
        if !is_inside || (asked != made_for && is_counted) {
            return Err(token_refused(&format!(
                "it was made for the range {made_for}, not {asked}"
            )));
        }
        Ok(progress)
    }

    /// The token of this place.
    pub(super) fn to_token(&self, operation: &QueryItems, container: &ResourceId) -> String {
        let mut bytes = Vec::with_capacity(TOKEN_BYTES);
        bytes.extend_from_slice(&fingerprint(operation).to_be_bytes());
        push_range(&mut bytes, &epks(operation));
        bytes.extend_from_slice(&self.plan.to_be_bytes());
        bytes.extend_from_slice(&self.skipped.to_be_bytes());
        bytes.extend_from_slice(&self.taken.to_be_bytes());
        let count = u32::try_from(self.begun.len()).unwrap_or(u32::MAX);
        bytes.extend_from_slice(&count.to_be_bytes());
        for (ordinal, rows) in &self.begun {
            bytes.extend_from_slice(&ordinal.to_be_bytes());
            bytes.extend_from_slice(&rows.to_be_bytes());
        }
        push_place(&mut bytes, &self.place);
        ContinuationToken::encode(TOKEN_KIND, TOKEN_VERSION, container, &bytes).into_string()
    }
}

fn damaged() -> Error {
    token_refused("it holds no place")
}

/// The epks a query asks; those of a partition key are told by the fingerprint.
fn epks(operation: &QueryItems) -> EpkRange {
    match &operation.feed_range {
        FeedRange::Epk(range) => range.clone(),
        FeedRange::Container | FeedRange::PartitionKey(_) => EpkRange::full(),
    }
}

/// What makes a query the same query.
fn fingerprint(operation: &QueryItems) -> u128 {
    let parameters = operation.parameters.iter().map(|(name, value)| {
        let value = value.map(structural_hash);
        array_hash(std::iter::once(text_hash(name)).chain(value))
    });
    let key = match &operation.feed_range {
        FeedRange::PartitionKey(key) => structural_hash(&key.to_json()),
        FeedRange::Container | FeedRange::Epk(_) => 0,
    };
    array_hash([text_hash(&operation.text), key, array_hash(parameters)].into_iter())
}

fn push_place(bytes: &mut Vec<u8>, place: &Place) {
    match place {
        Place::Start => bytes.push(0),
        Place::Scan(key) => {
            bytes.push(1);
            push_sized(bytes, key);
        }
        Place::Lookup(parts) => {
            bytes.push(2);
            let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
            bytes.extend_from_slice(&count.to_be_bytes());
            for BegunPart { range, branch, term } in parts {
                push_range(bytes, range);
                bytes.extend_from_slice(&branch.to_be_bytes());
                push_term(bytes, term);
            }
        }
        Place::Ordered(term) => {
            bytes.push(3);
            push_term(bytes, term);
        }
        Place::Rows(rows) => {
            bytes.push(4);
            bytes.extend_from_slice(&rows.to_be_bytes());
        }
    }
}

fn push_range(bytes: &mut Vec<u8>, range: &EpkRange) {
    push_sized(bytes, range.min.as_bytes());
    push_sized(bytes, range.max.as_bytes());
}

fn push_term(bytes: &mut Vec<u8>, term: &TermPlace) {
    push_sized(bytes, &term.value);
    bytes.extend_from_slice(&term.ordinal.to_be_bytes());
}

fn push_sized(bytes: &mut Vec<u8>, part: &[u8]) {
    let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(part);
}

struct Reader {
    rest: Bytes,
}

impl Reader {
    fn take(&mut self, length: usize) -> Option<Bytes> {
        (self.rest.len() >= length).then(|| self.rest.split_to(length))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.as_ref().try_into().ok()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_be_bytes(self.take(8)?.as_ref().try_into().ok()?))
    }

    fn u128(&mut self) -> Option<u128> {
        Some(u128::from_be_bytes(self.take(16)?.as_ref().try_into().ok()?))
    }

    fn sized(&mut self) -> Option<Bytes> {
        let length = self.u32()?;
        self.take(usize::try_from(length).ok()?)
    }

    fn epk(&mut self) -> Option<EffectivePartitionKey> {
        Some(EffectivePartitionKey::from_bytes(self.sized()?.to_vec()))
    }

    fn range(&mut self) -> Option<EpkRange> {
        Some(EpkRange { min: self.epk()?, max: self.epk()? })
    }

    fn term(&mut self) -> Option<TermPlace> {
        Some(TermPlace { value: self.sized()?, ordinal: self.u64()? })
    }

    fn begun_part(&mut self) -> Option<BegunPart> {
        Some(BegunPart { range: self.range()?, branch: self.u32()?, term: self.term()? })
    }

    fn progress(&mut self) -> Option<Progress> {
        let plan = self.u128()?;
        let (skipped, taken) = (self.u64()?, self.u64()?);
        let count = self.u32()?;
        let begun = (0..count).map(|_| Some((self.u64()?, self.u64()?))).collect::<Option<_>>()?;
        let place = match *self.take(1)?.first()? {
            0 => Place::Start,
            1 => Place::Scan(self.sized()?),
            2 => {
                let count = self.u32()?;
                Place::Lookup((0..count).map(|_| self.begun_part()).collect::<Option<_>>()?)
            }
            3 => Place::Ordered(self.term()?),
            4 => Place::Rows(self.u64()?),
            _ => return None,
        };
        Some(Progress { place, skipped, taken, begun, plan })
    }
}
