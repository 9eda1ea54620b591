//! A charge with its terms.
//!
//! Owns the terms as data, as JSON and as text. The terms always add up to the charge. An explanation is computed only
//! when a caller asks for it.

use std::collections::BTreeMap;
use std::fmt;

use super::index_cost::{IndexCost, IndexCostKind, LEAF_UNITS, TERM_UNITS, only_in_one};
use super::profile::{CHARGE_MODEL, ChargeProfile, consistency_factor};
use super::size::size_step;
use crate::{ConsistencyLevel, Json, Number, Object, RequestCharge};

/// Upper bound for the bytes of an explanation without its terms, plus the term `others`.
const OTHER_BYTES: usize = 256;

/// A charge and its terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChargeExplanation {
    /// Name of the operation.
    pub operation: &'static str,
    /// The profile by which it was charged.
    pub profile: ChargeProfile,
    /// The terms, which add up to the charge.
    pub terms: Vec<ChargeTerm>,
}

/// One term of a charge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChargeTerm {
    /// What the term pays for.
    pub name: &'static str,
    /// The quantity.
    pub detail: TermDetail,
    /// Its share of the charge.
    pub charge: RequestCharge,
}

/// The quantity that a term pays for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermDetail {
    /// No quantity.
    None,
    /// A count.
    Count(u64),
    /// A number of items with their total size.
    Items {
        /// Number of items.
        count: u64,
        /// Total bytes.
        bytes: u64,
    },
    /// One item of a size class.
    Size {
        /// Bytes without system properties.
        bytes: u64,
        /// Upper bound of the size class.
        step_kilobytes: u64,
    },
    /// Terms of an index.
    Index {
        /// The path, as an indexing policy writes it.
        path: String,
        /// The kind of index.
        kind: IndexCostKind,
        /// Number of leaves, shapes or vectors. A changed one counts twice: removed and added.
        count: u64,
    },
    /// The preceding terms multiplied by a factor.
    Factor {
        /// The consistency level.
        level: ConsistencyLevel,
        /// The factor.
        factor: u64,
    },
}

impl ChargeTerm {
    /// A term of a charge.
    #[must_use]
    pub fn new(name: &'static str, detail: TermDetail, charge: RequestCharge) -> Self {
        Self { name, detail, charge }
    }

    /// The term for reading an item.
    #[must_use]
    pub fn of_read(bytes: usize) -> Self {
        let step = size_step(bytes);
        Self::new("read", size_detail(bytes), RequestCharge::from_units(step.read_units))
    }

    /// The term for writing an item; `name` distinguishes the new version from the old one.
    #[must_use]
    pub fn of_write(name: &'static str, bytes: usize) -> Self {
        let step = size_step(bytes);
        Self::new(name, size_detail(bytes), RequestCharge::from_units(step.write_units))
    }

    /// The term for the operations of a patch; `None` without operations.
    #[must_use]
    pub fn of_patch_operations(count: usize) -> Option<Self> {
        let charge = super::patch_operations(count);
        let term = Self::new("patchOperations", TermDetail::Count(count as u64), charge);
        (count > 0).then_some(term)
    }

    /// The terms for the index of an item, sorted by path.
    #[must_use]
    pub fn of_index<'cost>(costs: impl IntoIterator<Item = &'cost IndexCost>) -> Vec<Self> {
        // By path and kind: the same path may have a leaf and a shape, which are different terms.
        let mut paths: BTreeMap<(&str, &str), (IndexCostKind, u64, u64)> = BTreeMap::new();
        for cost in costs {
            let entry = paths.entry((&cost.path, cost.kind.as_str()));
            let (_, count, units) = entry.or_insert((cost.kind, 0, 0));
            (*count, *units) = (*count + 1, *units + cost.units);
        }
        let term = |((path, _), (kind, count, units)): ((&str, _), _)| {
            let detail = TermDetail::Index { path: path.to_owned(), kind, count };
            Self::new("index", detail, RequestCharge::from_units(units))
        };
        paths.into_iter().map(term).collect()
    }

    /// The terms for the index of a replace: the entries that only one of both versions has. If there are none, the
    /// timestamp still changes.
    #[must_use]
    pub fn of_changed_index(old: &[IndexCost], new: &[IndexCost]) -> Vec<Self> {
        let changed = only_in_one(old, new);
        if !changed.is_empty() {
            return Self::of_index(changed);
        }
        // The same rule as in `point::replace`, so that the terms add up to the charge.
        let path = "/\"_ts\"/?".to_owned();
        let detail = TermDetail::Index { path, kind: IndexCostKind::Leaf, count: 1 };
        vec![Self::new("index", detail, RequestCharge::from_units(LEAF_UNITS))]
    }

    /// The term that a strong read adds to the preceding terms.
    #[must_use]
    pub fn of_consistency(level: ConsistencyLevel, terms: &[Self]) -> Option<Self> {
        let factor = consistency_factor(level);
        let sum: RequestCharge = terms.iter().map(|term| term.charge).sum();
        let detail = TermDetail::Factor { level, factor };
        // The terms before it already contain the charge once.
        (factor > 1).then(|| Self::new("consistency", detail, sum.times(factor - 1)))
    }

    fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("term", self.name);
        match &self.detail {
            TermDetail::None => {}
            TermDetail::Count(count) => object.insert("count", number(*count)),
            TermDetail::Items { count, bytes } => {
                object.insert("count", number(*count));
                object.insert("bytes", number(*bytes));
            }
            TermDetail::Size { bytes, step_kilobytes } => {
                object.insert("bytes", number(*bytes));
                object.insert("bucketKilobytes", number(*step_kilobytes));
            }
            TermDetail::Index { path, kind, count } => {
                object.insert("path", path.as_str());
                object.insert("kind", kind.as_str());
                object.insert("count", number(*count));
                // A vector is priced by its dimensions, not by index terms.
                if *kind != IndexCostKind::Vector {
                    object.insert("indexTerms", number(count * (LEAF_UNITS / TERM_UNITS)));
                }
            }
            TermDetail::Factor { level, factor } => {
                object.insert("level", level.as_str());
                object.insert("factor", number(*factor));
            }
        }
        object.insert("charge", decimals(self.charge));
        Json::Object(object)
    }
}

impl fmt::Display for ChargeTerm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.4} RU  {}", self.charge.as_f64(), self.name)?;
        match &self.detail {
            TermDetail::None => Ok(()),
            TermDetail::Count(count) => write!(formatter, ": {count}"),
            TermDetail::Items { count, bytes } => {
                write!(formatter, ": {count} items, {bytes} bytes")
            }
            TermDetail::Size { bytes, step_kilobytes } => {
                write!(formatter, ": {bytes} bytes, bucket of {step_kilobytes} KB")
            }
            TermDetail::Index { path, kind, count } => {
                write!(formatter, " {path}: {count} {}", kind.as_str())
            }
            TermDetail::Factor { level, factor } => write!(formatter, " {level}: x {factor}"),
        }
    }
}

impl ChargeExplanation {
    /// A charge with unknown terms, as one term.
    #[must_use]
    pub fn of_whole(
        operation: &'static str,
        profile: ChargeProfile,
        charge: RequestCharge,
    ) -> Self {
        let terms = vec![ChargeTerm::new("whole", TermDetail::None, charge)];
        Self { operation, profile, terms }
    }

    /// The sum of the terms.
    #[must_use]
    pub fn charge(&self) -> RequestCharge {
        self.terms.iter().map(|term| term.charge).sum()
    }

    /// The explanation as JSON: model, profile, operation, charge, terms.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("model", CHARGE_MODEL);
        object.insert("profile", self.profile.as_str());
        object.insert("operation", self.operation);
        object.insert("charge", decimals(self.charge()));
        object.insert("terms", self.terms_json());
        Json::Object(object)
    }

    pub(super) fn terms_json(&self) -> Vec<Json> {
        self.terms.iter().map(ChargeTerm::to_json).collect()
    }

    /// The JSON in at most `bytes_max` bytes: if it is too long, the cheapest terms are merged into the term `others`.
    #[must_use]
    pub fn to_json_within(mut self, bytes_max: usize) -> Json {
        let json = self.to_json();
        if json.to_bytes().len() <= bytes_max {
            return json;
        }
        // Stable: terms of the same charge keep their order, so the result does not depend on the run.
        self.terms.sort_by_key(|term| std::cmp::Reverse(term.charge));
        let (mut bytes, mut kept) = (OTHER_BYTES, 0);
        for term in &self.terms {
            bytes += term.to_json().to_bytes().len() + 1;
            if bytes > bytes_max {
                break;
            }
            kept += 1;
        }
        let others = self.terms.split_off(kept);
        let charge = others.iter().map(|term| term.charge).sum();
        let detail = TermDetail::Count(others.len() as u64);
        self.terms.push(ChargeTerm::new("others", detail, charge));
        self.to_json()
    }

    /// Adds the explanation of another page or operation. Terms for the same thing are merged.
    pub fn add(&mut self, other: Self) {
        for term in other.terms {
            match self.terms.iter_mut().find(|existing| existing.can_merge(&term)) {
                Some(existing) => existing.merge(&term),
                None => self.terms.push(term),
            }
        }
    }
}

impl ChargeTerm {
    fn can_merge(&self, other: &Self) -> bool {
        let same_kind = match (&self.detail, &other.detail) {
            (TermDetail::Count(_), TermDetail::Count(_))
            | (TermDetail::Items { .. }, TermDetail::Items { .. }) => true,
            // Two items of the same size stay two terms: their detail has no count that could grow.
            (left, right) => left == right && !matches!(left, TermDetail::Size { .. }),
        };
        self.name == other.name && same_kind
    }

    fn merge(&mut self, other: &Self) {
        self.charge += other.charge;
        match (&mut self.detail, &other.detail) {
            (TermDetail::Count(count), TermDetail::Count(more)) => *count += more,
            (
                TermDetail::Items { count, bytes },
                TermDetail::Items { count: more, bytes: more_bytes },
            ) => (*count, *bytes) = (*count + more, *bytes + more_bytes),
            _ => {}
        }
    }
}

fn size_detail(bytes: usize) -> TermDetail {
    TermDetail::Size { bytes: bytes as u64, step_kilobytes: size_step(bytes).kilobytes }
}

pub(super) fn number(count: u64) -> Json {
    Json::from(i64::try_from(count).unwrap_or(i64::MAX))
}

/// A charge as a JSON number with at most four decimals.
pub(super) fn decimals(charge: RequestCharge) -> Json {
    // Four decimals, as the constants of queries have. `trim_end_matches` is safe because the text always contains a
    // point.
    let text = format!("{:.4}", charge.as_f64());
    let text = text.trim_end_matches('0').trim_end_matches('.');
    Number::parse(text).map_or(Json::Null, Json::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IndexingPolicy;
    use crate::charge::index_costs;

    fn of_properties(count: usize) -> ChargeExplanation {
        let mut item = Object::new();
        (0..count).for_each(|number| item.insert(format!("property{number}"), true));
        let costs = index_costs(&IndexingPolicy::default(), &Json::Object(item));
        let terms = ChargeTerm::of_index(&costs);
        ChargeExplanation { operation: "create", profile: ChargeProfile::Azure, terms }
    }

    #[test]
    fn a_long_explanation_keeps_its_charge_within_its_bytes() {
        let short = of_properties(3);
        assert_eq!(short.clone().to_json_within(1000), short.to_json());
        let long = of_properties(300);
        let cut = long.clone().to_json_within(1000);
        assert!(cut.to_bytes().len() <= 1000, "{cut}");
        assert_eq!(cut.get("charge"), long.to_json().get("charge"));
        let terms = cut.get("terms").and_then(Json::as_array).unwrap();
        assert_eq!(terms.last().unwrap().get("term"), Some(&Json::from("others")));
    }

    #[test]
    fn pages_are_added_term_by_term() {
        let page = |count| ChargeExplanation {
            operation: "query",
            profile: ChargeProfile::Azure,
            terms: vec![ChargeTerm::new(
                "lookups",
                TermDetail::Count(count),
                RequestCharge::from_units(count),
            )],
        };
        let mut sum = page(1);
        sum.add(page(2));
        assert_eq!(sum, page(3));
        sum.add(of_properties(1));
        assert_eq!((sum.terms.len(), sum.charge()), (2, RequestCharge::from_units(3 + LEAF_UNITS)));
    }
}
