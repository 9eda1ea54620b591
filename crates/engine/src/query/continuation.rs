//! Continuation tokens of queries.
//!
//! A position names no physical partition: it consists of keys, epks, values and ordinals, which splits and merges
//! preserve. A token also holds a fingerprint of its query, so that it cannot continue another one, and the epk range
//! it was issued for: it continues on any part of that range, as clients use it on each of the new ranges after a
//! split, and on one partition key after a range that contains it.
//!
//! Clients that merge ordered rows put a filter of their own into the text when they resume. So a position in index
//! order also continues a query that differs from its own in nothing but the filter: then the filter selects among the
//! rows after the position.
//!
//! Payload, all integers big-endian, `bytes` being a u32 length and the bytes:
//!
//! ```text
//! query fingerprint  u128
//! ordered text       u128: hash of the text without its filter, for the query that clients send for ordered rows, or 0
//! epk range          bytes min, bytes max
//! plan fingerprint   u128
//! skipped, taken     u64, u64
//! partial items      u32 count, then (ordinal u64, rows u64) each
//! position           u8 tag: 0 start | 1 scan: bytes key | 2 lookup: u32 count, then (range, u32 branch, term) each
//!                            | 3 ordered: term | 4 rows: u64 | 5 stored rows: u64, u64 created, u64 random
//!                            | 6 order of creation: u32 count, then (range, u64 ordinal) each
//!                            where term = bytes value, u64 ordinal
//! ```

use bytes::Bytes;
use model::value::{array_hash, structural_hash, text_hash};
use model::{ContinuationToken, EpkRange, FeedRange, Json};
use storage::StorageKey;

use super::error::invalid_token;
use super::request::QueryItems;
use crate::container::ContainerIdentity;
use crate::creation_order::{CreationPosition, decode_range, encode_range};
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::ResultKey;

const TOKEN_KIND: &str = "query";
// Raised whenever the payload of a position changes; a new kind of position is no change. A token of another version is
// refused, and the client starts again.
const TOKEN_VERSION: u8 = 4;
/// Initial capacity, enough for an ordinary query.
const TOKEN_BYTES: usize = 208;

/// A position in the terms of a path or composite index: after this term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TermPosition {
    /// The encoded value or values of the term.
    pub(super) value: Bytes,
    /// The ordinal of its item.
    pub(super) ordinal: u64,
}

/// How far a lookup has read an epk range: all branches before `branch`, and the terms of that branch up to `term`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LookupPosition {
    pub(super) range: EpkRange,
    pub(super) branch: u32,
    pub(super) term: TermPosition,
}

/// How far a query has read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum ContinuationPosition {
    /// Nothing was read.
    #[default]
    Start,
    /// A scan in the order of keys, up to and including this storage key.
    Scan(StorageKey),
    /// A read in the order of creation.
    Created(CreationPosition),
    /// A lookup in the order of values: everything below the first of these adjacent ranges, and of each range what its
    /// entry says. Usually one entry; several ranges are partially read after a split.
    Lookup(Vec<LookupPosition>),
    /// A read in index order, up to and including this term.
    Ordered(TermPosition),
    /// This many rows of a result that is known only as a whole, and where the others are stored. Without a stored
    /// result, the next page computes it again.
    Rows { returned: u64, stored: Option<ResultKey> },
}

impl ContinuationPosition {
    /// The term that a read in index order has reached; `None` at the start.
    pub(super) fn in_order(&self) -> Result<Option<&TermPosition>> {
        match self {
            Self::Start => Ok(None),
            Self::Ordered(term) => Ok(Some(term)),
            _ => Err(invalid_token("the query uses another access path now")),
        }
    }
}

/// The state of a query between two pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct QueryProgress {
    pub(super) position: ContinuationPosition,
    /// Rows skipped by OFFSET so far.
    pub(super) skipped: u64,
    /// Rows returned so far.
    pub(super) taken: u64,
    /// Items after the position of which earlier pages returned some rows: ordinal and number of rows. Several are
    /// possible: after a split, another range may be read before the item is reached again.
    pub(super) partial_items: Vec<(u64, u64)>,
    /// Fingerprint of the lookup that the position belongs to; zero if it belongs to none.
    pub(super) plan: u128,
}

/// What a token is tied to.
#[derive(Clone, Copy)]
pub(super) struct TokenScope<'request> {
    pub(super) operation: &'request QueryItems,
    pub(super) container: &'request ContainerIdentity,
    /// Hash of the text without its filter, for the query that clients send for ordered rows.
    pub(super) ordered_text: Option<u128>,
}

impl TokenScope<'_> {
    /// The epk range of the request.
    fn range(&self) -> EpkRange {
        self.operation.feed_range.epk_range(&self.container.definition)
    }

    /// Identifies the query: text and parameters. The page size is not part of it: a client may change it between two
    /// pages.
    fn fingerprint(&self) -> u128 {
        array_hash([text_hash(&self.operation.text), self.parameters()].into_iter())
    }

    /// The same without its filter; zero if it is not the query for ordered rows.
    fn ordered_fingerprint(&self) -> u128 {
        let of = |text: u128| array_hash([text, self.parameters()].into_iter());
        self.ordered_text.map_or(0, of)
    }

    fn parameters(&self) -> u128 {
        array_hash(self.operation.parameters.iter().map(|(name, value)| {
            let value = value.map(structural_hash);
            array_hash(std::iter::once(text_hash(name)).chain(value))
        }))
    }

    /// What a stored result belongs to, in full: hashes could be made to collide.
    pub(super) fn result_owner(&self) -> Vec<u8> {
        let mut owner = Vec::new();
        push_bytes(&mut owner, self.container.rid.to_string().as_bytes());
        encode_range(&self.range(), &mut owner);
        if let FeedRange::PartitionKey(key) = &self.operation.feed_range {
            push_bytes(&mut owner, key.to_json().to_string().as_bytes());
        }
        push_bytes(&mut owner, self.operation.text.as_bytes());
        for (name, value) in self.operation.parameters.iter() {
            push_bytes(&mut owner, name.as_bytes());
            push_bytes(&mut owner, value.map(Json::to_string).unwrap_or_default().as_bytes());
        }
        owner
    }
}

impl QueryProgress {
    /// Whether the rows are those of a result that was computed as a whole.
    pub(super) fn is_computed(&self) -> bool {
        matches!(self.position, ContinuationPosition::Rows { .. })
    }

    /// The progress of a request: that of its token, or the start.
    pub(super) fn from_request(scope: &TokenScope<'_>) -> Result<Self> {
        let Some(token) = &scope.operation.page.continuation else { return Ok(Self::default()) };
        let (version, payload) = ContinuationToken::decode(token, TOKEN_KIND, &scope.container.rid)
            .map_err(|invalid| Error::new(ErrorKind::ContinuationRefused, invalid.message()))?;
        if version != TOKEN_VERSION {
            return Err(invalid_token(&format!("version {version} is not known")));
        }
        let mut bytes = TokenDecoder { rest: payload.into() };
        let (query, ordered) =
            (bytes.u128().ok_or_else(damaged)?, bytes.u128().ok_or_else(damaged)?);
        let issued_for = bytes.range().ok_or_else(damaged)?;
        // Bytes behind the position mean that the payload was not made by this version of the code.
        let progress = bytes.progress().filter(|_| bytes.rest.is_empty()).ok_or_else(damaged)?;
        // At the start too: a page may end inside of the first item, whose other rows are then left.
        let is_in_order = matches!(
            progress.position,
            ContinuationPosition::Ordered(_) | ContinuationPosition::Start
        );
        let is_resumed = is_in_order && ordered != 0 && ordered == scope.ordered_fingerprint();
        if query != scope.fingerprint() && !is_resumed {
            return Err(invalid_token("it continues another query or other parameters"));
        }
        let requested = scope.range();
        // A part of the range is fine: positions are epks and terms, which mean the same in every part.
        let is_contained = issued_for.intersect(&requested).as_ref() == Some(&requested);
        // Skipped and counted rows refer to the whole range, so such a token cannot be used on a part of it.
        let is_counted = progress.skipped > 0 || progress.is_computed();
        if !is_contained || (requested != issued_for && is_counted) {
            return Err(invalid_token(&format!(
                "it was made for the range {issued_for}, not {requested}"
            )));
        }
        Ok(progress)
    }

    /// Encodes the progress as a continuation token.
    pub(super) fn to_token(&self, scope: &TokenScope<'_>) -> String {
        let mut bytes = Vec::with_capacity(TOKEN_BYTES);
        bytes.extend_from_slice(&scope.fingerprint().to_be_bytes());
        bytes.extend_from_slice(&scope.ordered_fingerprint().to_be_bytes());
        encode_range(&scope.range(), &mut bytes);
        self.push_to(&mut bytes);
        let rid = &scope.container.rid;
        ContinuationToken::encode(TOKEN_KIND, TOKEN_VERSION, rid, &bytes).into_string()
    }

    fn push_to(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.plan.to_be_bytes());
        bytes.extend_from_slice(&self.skipped.to_be_bytes());
        bytes.extend_from_slice(&self.taken.to_be_bytes());
        // At most one item per partially read range.
        let count = u32::try_from(self.partial_items.len()).unwrap_or(u32::MAX);
        bytes.extend_from_slice(&count.to_be_bytes());
        for (ordinal, rows) in &self.partial_items {
            bytes.extend_from_slice(&ordinal.to_be_bytes());
            bytes.extend_from_slice(&rows.to_be_bytes());
        }
        push_position(bytes, &self.position);
    }
}

fn damaged() -> Error {
    invalid_token("it is damaged")
}

fn push_position(bytes: &mut Vec<u8>, position: &ContinuationPosition) {
    match position {
        ContinuationPosition::Start => bytes.push(0),
        ContinuationPosition::Scan(key) => {
            bytes.push(1);
            push_bytes(bytes, key);
        }
        ContinuationPosition::Created(position) => {
            bytes.push(6);
            position.encode(bytes);
        }
        ContinuationPosition::Lookup(parts) => {
            bytes.push(2);
            let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
            bytes.extend_from_slice(&count.to_be_bytes());
            for LookupPosition { range, branch, term } in parts {
                encode_range(range, bytes);
                bytes.extend_from_slice(&branch.to_be_bytes());
                push_term(bytes, term);
            }
        }
        ContinuationPosition::Ordered(term) => {
            bytes.push(3);
            push_term(bytes, term);
        }
        ContinuationPosition::Rows { returned, stored } => {
            bytes.push(if stored.is_some() { 5 } else { 4 });
            bytes.extend_from_slice(&returned.to_be_bytes());
            if let Some(ResultKey { created_ms, random }) = stored {
                bytes.extend_from_slice(&created_ms.to_be_bytes());
                bytes.extend_from_slice(&random.to_be_bytes());
            }
        }
    }
}

fn push_term(bytes: &mut Vec<u8>, term: &TermPosition) {
    push_bytes(bytes, &term.value);
    bytes.extend_from_slice(&term.ordinal.to_be_bytes());
}

fn push_bytes(bytes: &mut Vec<u8>, part: &[u8]) {
    let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(part);
}

/// Decodes the payload of a token.
struct TokenDecoder {
    rest: Bytes,
}

impl TokenDecoder {
    fn take(&mut self, length: usize) -> Option<Bytes> {
        // `split_to` panics beyond the end. A length in a token is foreign input.
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

    fn bytes(&mut self) -> Option<Bytes> {
        let length = self.u32()?;
        self.take(usize::try_from(length).ok()?)
    }

    fn range(&mut self) -> Option<EpkRange> {
        decode_range(&mut self.rest)
    }

    fn term(&mut self) -> Option<TermPosition> {
        Some(TermPosition { value: self.bytes()?, ordinal: self.u64()? })
    }

    fn lookup_position(&mut self) -> Option<LookupPosition> {
        Some(LookupPosition { range: self.range()?, branch: self.u32()?, term: self.term()? })
    }

    fn progress(&mut self) -> Option<QueryProgress> {
        let plan = self.u128()?;
        let (skipped, taken) = (self.u64()?, self.u64()?);
        let count = self.u32()?;
        let partial_items =
            // The count is foreign too. Nothing is reserved for it, so a false one ends at the last byte and costs no
            // memory.
            (0..count).map(|_| Some((self.u64()?, self.u64()?))).collect::<Option<_>>()?;
        let position = match *self.take(1)?.first()? {
            0 => ContinuationPosition::Start,
            1 => ContinuationPosition::Scan(self.bytes()?),
            2 => {
                let count = self.u32()?;
                ContinuationPosition::Lookup(
                    (0..count).map(|_| self.lookup_position()).collect::<Option<_>>()?,
                )
            }
            3 => ContinuationPosition::Ordered(self.term()?),
            4 => ContinuationPosition::Rows { returned: self.u64()?, stored: None },
            5 => {
                let returned = self.u64()?;
                let stored = ResultKey { created_ms: self.u64()?, random: self.u64()? };
                ContinuationPosition::Rows { returned, stored: Some(stored) }
            }
            6 => ContinuationPosition::Created(CreationPosition::decode(&mut self.rest)?),
            _ => return None,
        };
        Some(QueryProgress { position, skipped, taken, partial_items, plan })
    }
}

/// For fuzzing: the progress in a token is refused, or encoded again gives the same bytes.
#[cfg(any(test, fuzzing))]
pub(crate) fn check_progress(payload: &[u8]) {
    let mut bytes = TokenDecoder { rest: Bytes::copy_from_slice(payload) };
    let Some(progress) = bytes.progress() else { return };
    let mut encoded = Vec::new();
    progress.push_to(&mut encoded);
    assert_eq!(payload.strip_suffix(bytes.rest.as_ref()), Some(encoded.as_slice()));
}
