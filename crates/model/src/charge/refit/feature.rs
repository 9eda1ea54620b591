//! The constants of the charge model that a measurement depends on, and their amounts.
//!
//! Owns the three groups of constants: reads by size, writes and queries. Each group is linear: a charge is the sum of
//! constant times amount.

use super::line::{DiagnosticLine, MeasuredOperation, step_index};
use crate::charge::{ChargeProfile, LEAF_UNITS, QUERY_CONSTANTS, SIZE_STEPS, size_step};

/// Constants that are fitted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConstantGroup {
    Reads,
    Writes,
    Queries,
}

impl ConstantGroup {
    pub(super) const ALL: [Self; 3] = [Self::Reads, Self::Writes, Self::Queries];

    pub(super) fn of_line(line: &DiagnosticLine) -> Self {
        match line.operation {
            MeasuredOperation::Read { .. } => Self::Reads,
            MeasuredOperation::Query(_) => Self::Queries,
            _ => Self::Writes,
        }
    }

    /// Names and values of the constants, in request units or as factors.
    pub(super) fn constants(self, profile: ChargeProfile) -> Vec<(String, f64)> {
        match self {
            Self::Reads => SIZE_STEPS
                .iter()
                .map(|step| (format!("read {} KB", step.kilobytes), units(step.read_units)))
                .collect(),
            Self::Writes => vec![
                // One factor for the whole table of sizes, so that few measurements determine it.
                ("write by size, factor".to_owned(), 1.0),
                ("removal of the old version, factor".to_owned(), amount(profile.removals_paid())),
                ("indexed leaf".to_owned(), units(LEAF_UNITS)),
                ("patch operation".to_owned(), units(LEAF_UNITS)),
            ],
            Self::Queries => {
                let prices = &QUERY_CONSTANTS;
                [
                    ("page", prices.base),
                    ("first index use", prices.first_index_use),
                    ("lookup", prices.lookup),
                    ("item loaded", prices.loaded_item),
                    ("KB loaded", prices.loaded_kilobyte),
                    ("item scanned", prices.scanned_item),
                    ("KB scanned", prices.scanned_kilobyte),
                    ("index entry", prices.index_entry),
                    ("tuple", prices.tuple),
                    ("vector search", prices.vector_search),
                ]
                .map(|(name, price)| (name.to_owned(), amount(price) / 10_000.0))
                .to_vec()
            }
        }
    }
}

/// The amount of each constant in a measurement.
pub(super) fn amounts(line: &DiagnosticLine) -> Vec<f64> {
    let write = |bytes: usize| units(size_step(bytes).write_units);
    match &line.operation {
        MeasuredOperation::Read { bytes } => {
            let mut amounts = vec![0.0; SIZE_STEPS.len()];
            if let Some(step) = amounts.get_mut(step_index(*bytes)) {
                *step = 1.0;
            }
            amounts
        }
        MeasuredOperation::Create { bytes, leaves }
        | MeasuredOperation::Delete { bytes, leaves } => {
            // In the order of `constants`: size, removal, leaves, patch operations.
            vec![write(*bytes), 0.0, amount(*leaves), 0.0]
        }
        MeasuredOperation::Replace { bytes, old_bytes, changed_leaves } => {
            vec![write(*bytes), write(*old_bytes), leaves_of(*changed_leaves), 0.0]
        }
        MeasuredOperation::Patch { bytes, old_bytes, changed_leaves, patch_operations } => {
            let operations = amount(*patch_operations);
            vec![write(*bytes), write(*old_bytes), leaves_of(*changed_leaves), operations]
        }
        MeasuredOperation::Query(counters) => {
            let partitions = amount(counters.partitions.max(1));
            vec![
                partitions,
                partitions * f64::from(u8::from(counters.uses_index)),
                partitions * amount(counters.lookups),
                amount(counters.loaded_items),
                amount(counters.loaded_bytes) / 1024.0,
                amount(counters.scanned_items),
                amount(counters.scanned_bytes) / 1024.0,
                amount(counters.index_entries),
                amount(counters.tuples),
                partitions * amount(counters.vector_searches),
            ]
        }
    }
}

/// A replace that changes no indexed value still changes the timestamp.
fn leaves_of(changed: u64) -> f64 {
    amount(changed.max(1))
}

fn units(units: u64) -> f64 {
    amount(units) / 21.0
}

#[expect(clippy::cast_precision_loss, reason = "counts and prices are far below 2^53")]
fn amount(number: u64) -> f64 {
    number as f64
}
