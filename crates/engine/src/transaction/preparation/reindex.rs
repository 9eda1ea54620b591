//! New terms of an item that did not change, made for another indexing policy.
//!
//! Owns making their difference, and writing it in a transaction if the item is still the same. Does not own which
//! items are indexed again: see `maintenance`.

use std::sync::Arc;

use storage::Write;

use super::base_version::BaseVersion;
use super::prepared_put::difference;
use crate::error::Result;
use crate::index::{CompiledPolicy, terms_of};
use crate::key_layout::ItemKey;
use crate::record::ItemRecord;
use crate::transaction::item_transaction::ItemTransaction;

/// The terms of one version that change with the policy, ready for the writer.
#[derive(Debug)]
pub(crate) struct PreparedReindex {
    base: BaseVersion,
    writes: Vec<Write>,
}

impl PreparedReindex {
    /// Parses a version and makes its terms by the old and the new policy.
    pub(crate) fn new(
        key: &ItemKey,
        record: &ItemRecord,
        (old, new): (&Arc<CompiledPolicy>, &Arc<CompiledPolicy>),
    ) -> Result<Self> {
        let (item, ordinal) = (record.parse()?, record.header.position.ordinal);
        let old = terms_of(old, key, ordinal, &item);
        let new = terms_of(new, key, ordinal, &item);
        Ok(Self { base: BaseVersion::of(Some(record)), writes: difference(&old, new) })
    }
}

impl ItemTransaction<'_> {
    /// Writes prepared terms; returns whether they are those of this version. Only terms change. Version, lsn and etag
    /// of the item stay: clients and feeds do not see it.
    pub(crate) fn reindex_prepared(
        &mut self,
        record: &ItemRecord,
        prepared: &PreparedReindex,
    ) -> bool {
        let fits = prepared.base == BaseVersion::of(Some(record));
        if fits {
            self.add_writes(prepared.writes.clone());
        }
        fits
    }
}
