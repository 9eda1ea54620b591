//! From what an operation has touched to its charge.
//!
//! Owns what the bill counts of a stored item, the profile and the level a request is priced by, and the explanations
//! of point operations. Does not own a figure: every price is `model::charge`'s.

use model::charge::{self, ChargeExplanation, ChargeProfile, ChargeTerm, IndexCost, TermDetail};
pub(crate) use model::charge::{
    failed_write, feed_page, metadata_read, metadata_write, nothing_found, point_read,
};
use model::{ConsistencyLevel, RequestCharge};

use crate::engine::Engine;
use crate::error::{Error, ErrorKind};
use crate::item::Written;
use crate::operation::ReadOptions;
use crate::outcome::Item;

/// What an item weighs on the bill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    /// Of its text without system properties.
    pub(crate) bytes: usize,
    /// What its index costs, in 1/21 request units.
    pub(crate) index_units: u64,
}

/// What the index of the old and of the new version of an item costs, path by path.
#[derive(Clone, Debug, Default)]
pub(crate) struct IndexedVersions {
    pub(crate) old: Vec<IndexCost>,
    pub(crate) new: Vec<IndexCost>,
}

/// Bytes that the system properties add to the text of an item: names and values of fixed length, each behind a comma.
/// Timestamps have ten digits until the year 2286.
const SYSTEM_BYTES: usize = concat!(
    r#","_rid":"012345678901234567890123""#,
    r#","_self":"dbs/01234567/colls/012345678901/docs/012345678901234567890123/""#,
    r#","_etag":"\"00000000-0000-0000-0000-000000000000\"""#,
    r#","_attachments":"attachments/""#,
    r#","_ts":1234567890"#
)
.len();

/// The bytes that the bill counts of an item's stored text.
pub(crate) fn own_bytes(text_bytes: usize) -> usize {
    text_bytes.saturating_sub(SYSTEM_BYTES)
}

/// The bytes that the bill counts of items whose texts have so many in all.
pub(crate) fn own_bytes_of_many(text_bytes: u64, items: u64) -> u64 {
    text_bytes.saturating_sub(items.saturating_mul(SYSTEM_BYTES as u64))
}

/// The bytes that the bill counts of an item.
pub(crate) fn item_bytes(item: &Item) -> usize {
    own_bytes(item.text().len())
}

/// The error of a write that was refused, with what a refusal costs. A store that fails costs nothing.
pub(crate) fn refused_write(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Invalid
        | ErrorKind::PartitionKeyMismatch
        | ErrorKind::NotFound
        | ErrorKind::Conflict
        | ErrorKind::PreconditionFailed
        | ErrorKind::TooLarge => error.with_charge(failed_write()),
        _ => error,
    }
}

impl Engine {
    /// The profile that this account is priced by.
    pub(crate) fn charge_profile(&self) -> ChargeProfile {
        self.core.settings.charge_profile
    }

    /// The level that a read is priced by.
    pub(crate) fn read_level(&self, options: &ReadOptions) -> ConsistencyLevel {
        options.consistency.unwrap_or(self.core.settings.consistency)
    }

    /// An explanation by this account's profile.
    pub(crate) fn explained(
        &self,
        operation: &'static str,
        terms: Vec<ChargeTerm>,
    ) -> Box<ChargeExplanation> {
        Box::new(ChargeExplanation { operation, profile: self.charge_profile(), terms })
    }

    /// The explanation of a read; `bytes` is none when nothing was returned.
    pub(crate) fn explain_read(
        &self,
        bytes: Option<usize>,
        level: ConsistencyLevel,
    ) -> Box<ChargeExplanation> {
        let least = nothing_found(ConsistencyLevel::Session);
        let nothing = || ChargeTerm::new("nothingReturned", TermDetail::None, least);
        let mut terms = vec![bytes.map_or_else(nothing, ChargeTerm::of_read)];
        terms.extend(ChargeTerm::of_consistency(level, &terms));
        self.explained("read", terms)
    }

    /// The explanation of a page of items that were read.
    pub(crate) fn explain_feed(
        &self,
        operation: &'static str,
        item_bytes: impl Iterator<Item = usize>,
        charge: RequestCharge,
        level: ConsistencyLevel,
    ) -> Box<ChargeExplanation> {
        let (mut count, mut bytes, mut sum) = (0, 0, RequestCharge::ZERO);
        for one in item_bytes {
            (count, bytes) = (count + 1, bytes + one as u64);
            sum += point_read(one, ConsistencyLevel::Session);
        }
        let mut terms = vec![ChargeTerm::new("read", TermDetail::Items { count, bytes }, sum)];
        let factor = charge::consistency_factor(level);
        let least = charge.saturating_sub(sum.times(factor)).parts() / factor;
        if least > 0 {
            let rest = RequestCharge::from_parts(least);
            terms.push(ChargeTerm::new("leastOfPage", TermDetail::None, rest));
        }
        terms.extend(ChargeTerm::of_consistency(level, &terms));
        self.explained(operation, terms)
    }

    /// The charge of a create, a replace or a patch.
    pub(crate) fn write_charge(&self, written: &Written, patch_operations: usize) -> RequestCharge {
        let (old, new) = (written.old, written.new);
        let base = if written.created {
            charge::create(new.bytes, new.index_units)
        } else {
            charge::replace(self.charge_profile(), old.bytes, new.bytes, written.changed_units)
        };
        base + charge::patch_operations(patch_operations)
    }

    /// The explanation of a create, a replace or a patch, when one was asked for.
    pub(crate) fn explain_write(
        &self,
        written: &Written,
        patch_operations: usize,
    ) -> Option<Box<ChargeExplanation>> {
        let versions = written.versions.as_deref()?;
        let mut terms = vec![ChargeTerm::of_write("write", written.new.bytes)];
        if written.created {
            terms.extend(ChargeTerm::of_index(&versions.new));
            return Some(self.explained("create", terms));
        }
        if self.charge_profile().removals_paid() > 0 {
            terms.push(ChargeTerm::of_write("remove", written.old.bytes));
        }
        if written.changed_units.is_some() {
            terms.extend(ChargeTerm::of_changed_index(&versions.old, &versions.new));
        }
        terms.extend(ChargeTerm::of_patch_operations(patch_operations));
        let operation = if patch_operations > 0 { "patch" } else { "replace" };
        Some(self.explained(operation, terms))
    }

    /// The explanation of a delete.
    pub(crate) fn explain_delete(
        &self,
        old: Weight,
        index: &[IndexCost],
    ) -> Box<ChargeExplanation> {
        let mut terms = vec![ChargeTerm::of_write("remove", old.bytes)];
        terms.extend(ChargeTerm::of_index(index));
        self.explained("delete", terms)
    }
}

/// The charge of a delete.
pub(crate) fn delete(old: Weight) -> RequestCharge {
    charge::delete(old.bytes, old.index_units)
}
