//! Sources of all access paths, and what they return: candidate items, each with the continuation position after it.

use model::Json;

use super::creation::CreationOrderSource;
use super::lookup::LookupSource;
use super::merged::MergedLookupSource;
use super::min_max::MinMaxSource;
use super::ordered::OrderedSource;
use super::page_reader::PageReader;
use super::scan::ScanSource;
use super::sorted::SortedLookupSource;
use crate::error::Result;
use crate::query::continuation::ContinuationPosition;
use crate::record::ItemRecord;

/// An item that may match the query.
pub(in crate::query) struct Candidate {
    pub(in crate::query) ordinal: u64,
    pub(in crate::query) content: ItemContent,
    /// The position after this item.
    pub(in crate::query) position: ContinuationPosition,
}

/// What is known about an item.
pub(in crate::query) enum ItemContent {
    /// The stored item.
    Record(ItemRecord),
    /// The values the query uses, decoded from index terms.
    Indexed(Json),
}

/// Consecutive candidates of a source.
pub(in crate::query) struct CandidateBatch {
    pub(in crate::query) candidates: Vec<Candidate>,
    /// The position after everything that was read, including rejected entries; `None` if nothing was read.
    pub(in crate::query) reached: Option<ContinuationPosition>,
    /// Whether the source has no more candidates.
    pub(in crate::query) is_last: bool,
}

/// A source of candidates, by access path.
pub(in crate::query) enum CandidateSource {
    /// All items in the order of keys.
    Scan(ScanSource),
    /// All items, or those of a lookup, in the order of creation.
    Created(Box<CreationOrderSource>),
    /// A lookup in the order of values.
    Lookup(Box<LookupSource>),
    Merged(MergedLookupSource),
    Ordered(OrderedSource),
    Sorted(SortedLookupSource),
    MinMax(MinMaxSource),
}

impl CandidateSource {
    /// Whether all items are read.
    pub(in crate::query) fn is_scan(&self) -> bool {
        match self {
            Self::Scan(_) => true,
            Self::Created(source) => source.is_scan(),
            _ => false,
        }
    }

    /// The next candidates; `wanted` is a hint, not a limit.
    pub(in crate::query) async fn next(
        &mut self,
        reader: &mut PageReader,
        wanted: usize,
    ) -> Result<CandidateBatch> {
        // The futures of lookups are large. Boxing them keeps the future of the whole page small for the other sources.
        match self {
            Self::Scan(scan) => scan.next(reader, wanted).await,
            Self::Created(source) => Box::pin(source.next(reader, wanted)).await,
            Self::Lookup(lookup) => Box::pin(lookup.next(reader, wanted)).await,
            Self::Merged(lookup) => Box::pin(lookup.next(reader, wanted)).await,
            Self::Ordered(source) => source.next(reader, wanted).await,
            Self::Sorted(lookup) => Ok(lookup.next(wanted)),
            Self::MinMax(source) => Box::pin(source.next(reader)).await,
        }
    }
}
