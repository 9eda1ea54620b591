//! From what an operation has touched to its request charge.
//!
//! Owns what a charge depends on (sizes, index costs, profile, consistency level) and the explanations of point
//! operations. Imports no operation: they pass in what they touched. Every price is in `model::charge`.

use model::charge::{self, ChargeExplanation, ChargeProfile, ChargeTerm, IndexCost, TermDetail};
pub(crate) use model::charge::{
    failed_write, feed_page, metadata_read, metadata_write, nothing_found, point_read,
};
use model::{ConsistencyLevel, RequestCharge};

use crate::error::{Error, ErrorKind};

/// The size of an item as request charges count it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    /// Bytes of its text without system properties.
    pub(crate) bytes: usize,
    /// What its index costs, in 1/21 request units.
    pub(crate) index_units: u64,
}

/// What a write did to an item, as far as its charge depends on it.
#[derive(Clone, Debug)]
pub(crate) struct WriteCost {
    pub(crate) created: bool,
    pub(crate) old: Weight,
    pub(crate) new: Weight,
    /// What the index of removed and added leaves costs, in 1/21 request units; none if neither version is indexed.
    pub(crate) changed_units: Option<u64>,
    /// By path, if an explanation was requested.
    pub(crate) versions: Option<Box<IndexedVersions>>,
}

/// What the index of the old and of the new version of an item costs, path by path.
#[derive(Clone, Debug, Default)]
pub(crate) struct IndexedVersions {
    pub(crate) old: Vec<IndexCost>,
    pub(crate) new: Vec<IndexCost>,
}

/// Adds the charge of a refused write to its error. A failure of the store is not charged.
pub(crate) fn refused_write(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Invalid
        | ErrorKind::PartitionKeyMismatch
        | ErrorKind::NotFound
        | ErrorKind::Conflict
        | ErrorKind::PreconditionFailed
        // The list is explicit: a new kind of error is free until somebody decides that it is not.
        | ErrorKind::TooLarge => error.with_charge(failed_write()),
        _ => error,
    }
}

/// What all charges of an account depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChargeContext {
    pub(crate) profile: ChargeProfile,
    /// The consistency level of reads that do not ask for another.
    pub(crate) consistency: ConsistencyLevel,
}

impl ChargeContext {
    /// The consistency level that a read is priced by.
    pub(crate) fn read_level(self, requested: Option<ConsistencyLevel>) -> ConsistencyLevel {
        requested.unwrap_or(self.consistency)
    }

    /// An explanation with the profile of the account.
    pub(crate) fn explained(
        self,
        operation: &'static str,
        terms: Vec<ChargeTerm>,
    ) -> Box<ChargeExplanation> {
        Box::new(ChargeExplanation { operation, profile: self.profile, terms })
    }

    /// The explanation of a read; `bytes` is none if nothing was returned.
    pub(crate) fn explain_read(
        self,
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
        self,
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
        // A page has a minimum charge. What the items do not explain is shown as its own term, so that the terms add
        // up.
        let least = charge.saturating_sub(sum.times(factor)).parts() / factor;
        if least > 0 {
            let rest = RequestCharge::from_parts(least);
            terms.push(ChargeTerm::new("leastOfPage", TermDetail::None, rest));
        }
        terms.extend(ChargeTerm::of_consistency(level, &terms));
        self.explained(operation, terms)
    }

    /// The charge of a create, a replace or a patch.
    pub(crate) fn write_charge(self, cost: &WriteCost, patch_operations: usize) -> RequestCharge {
        let (old, new) = (cost.old, cost.new);
        let base = if cost.created {
            charge::create(new.bytes, new.index_units)
        } else {
            // A replace pays for the leaves that changed, a create for all of them.
            charge::replace(self.profile, old.bytes, new.bytes, cost.changed_units)
        };
        base + charge::patch_operations(patch_operations)
    }

    /// The explanation of a create, a replace or a patch, if it was requested.
    pub(crate) fn explain_write(
        self,
        cost: &WriteCost,
        patch_operations: usize,
    ) -> Option<Box<ChargeExplanation>> {
        let versions = cost.versions.as_deref()?;
        let mut terms = vec![ChargeTerm::of_write("write", cost.new.bytes)];
        if cost.created {
            terms.extend(ChargeTerm::of_index(&versions.new));
            return Some(self.explained("create", terms));
        }
        if self.profile.removals_paid() > 0 {
            terms.push(ChargeTerm::of_write("remove", cost.old.bytes));
        }
        if cost.changed_units.is_some() {
            terms.extend(ChargeTerm::of_changed_index(&versions.old, &versions.new));
        }
        terms.extend(ChargeTerm::of_patch_operations(patch_operations));
        let operation = if patch_operations > 0 { "patch" } else { "replace" };
        Some(self.explained(operation, terms))
    }

    /// The explanation of a delete.
    pub(crate) fn explain_delete(self, old: Weight, index: &[IndexCost]) -> Box<ChargeExplanation> {
        let mut terms = vec![ChargeTerm::of_write("remove", old.bytes)];
        terms.extend(ChargeTerm::of_index(index));
        self.explained("delete", terms)
    }
}

/// The charge of a delete.
pub(crate) fn delete(old: Weight) -> RequestCharge {
    charge::delete(old.bytes, old.index_units)
}
