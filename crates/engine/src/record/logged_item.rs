//! An item with its key in one stored value, as the spaces `change_log` and `versions` keep it.
//!
//! Owns the view into that value. It is validated once as a whole; its parts are decoded when they are asked for,
//! because most readers of a change feed use only the text. Does not own the layout: see `item_record`.

use bytes::Bytes;
use model::{Lsn, TimestampSeconds};
use storage::StorageValue;

use super::item_record::{self, HEADER_BYTES, ItemHeader, KEY_LENGTH_BYTES};
use crate::error::{Error, Result};
use crate::key_layout::{ChangePosition, ItemKeyView};

/// A key and a record in the value they were stored in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LoggedItem {
    bytes: StorageValue,
    // 32 bits are enough: a stored value has at most a few megabytes. It keeps the change small.
    partition_bytes: u32,
    record_at: u32,
}

impl LoggedItem {
    /// Validates everything that decoding the parts relies on.
    #[inline]
    pub(crate) fn decode(bytes: StorageValue, levels: usize) -> Result<Self> {
        match check(&bytes, levels) {
            Some((partition_bytes, record_at)) => Ok(Self { bytes, partition_bytes, record_at }),
            None => Err(damaged()),
        }
    }

    pub(crate) fn key(&self) -> ItemKeyView<'_> {
        let key = self.bytes.get(KEY_LENGTH_BYTES..self.record_at());
        ItemKeyView::checked(key.unwrap_or_default(), self.partition_bytes as usize)
    }

    pub(crate) fn header(&self) -> ItemHeader {
        let record = self.bytes.get(self.record_at()..).unwrap_or_default();
        item_record::decode_header(record).expect("the record was checked when the entry was read")
    }

    /// Position of the version before this one, which was written at `lsn`.
    pub(crate) fn previous(&self, lsn: Lsn) -> ChangePosition {
        item_record::resolve_position(self.header().previous, lsn)
    }

    pub(crate) fn timestamp(&self) -> TimestampSeconds {
        self.header().timestamp
    }

    /// The JSON text with system properties.
    pub(crate) fn text(&self) -> &[u8] {
        self.bytes.get(self.record_at() + HEADER_BYTES..).unwrap_or_default()
    }

    /// The JSON text with system properties, sharing the stored value.
    pub(crate) fn body(&self) -> Bytes {
        self.bytes.slice(self.record_at() + HEADER_BYTES..)
    }

    fn record_at(&self) -> usize {
        self.record_at as usize
    }
}

/// Returns how many bytes of the key are its logical partition and where the record begins; none if the value is
/// damaged.
#[inline]
fn check(bytes: &[u8], levels: usize) -> Option<(u32, u32)> {
    let record_at = KEY_LENGTH_BYTES + item_record::item_key_length(bytes)?;
    let key = ItemKeyView::decode(bytes.get(KEY_LENGTH_BYTES..record_at)?, levels)?;
    let is_whole = item_record::is_record(bytes.get(record_at..)?);
    let partition_bytes = u32::try_from(key.partition_bytes()).ok()?;
    is_whole.then_some((partition_bytes, u32::try_from(record_at).ok()?))
}

#[cold]
fn damaged() -> Error {
    Error::corrupt("an entry of the change log or of the versions is damaged")
}
