//! Fingerprints of lookups and orders, which continuation tokens carry.
//!
//! A term position means something only for the lookup or order it was read with. The encoding is explicit and has a
//! version, so that a token does not depend on how a type happens to be printed. A further test of a condition is
//! encoded by its presence: the token's query fingerprint covers the text and the parameters that it comes from.

use ::query::plan::access::{Indexes, Lookup, OrderAccess};
use ::query::plan::condition::{Cut, PathCondition, ValueKind, ValueSet};
use model::value::{structural_hash, text_hash};
use model::{IndexPathSegment, Json};

use crate::index::composite_number;

/// Raised whenever the encoding, or the order in which a lookup reads its terms, changes.
const ENCODING_VERSION: u8 = 1;

/// The fingerprint of a scan; no lookup has it.
pub(in crate::query::source) const SCAN_FINGERPRINT: u128 = 0;

/// Identifies a lookup.
pub(in crate::query::source) fn lookup_fingerprint(lookup: &Lookup, indexes: &Indexes) -> u128 {
    let mut encoding = Encoding::new();
    encoding.lookup(lookup, indexes);
    encoding.hash()
}

/// Marks an order that is read backwards, with equal values backwards too. Earlier versions wrote 1 and returned equal
/// values forwards: their positions mean something else.
const REVERSED: u8 = 2;

/// Identifies the terms whose order a query follows, and their direction. The values that the filter allows are no part
/// of it: a position keeps its meaning if the filter becomes narrower.
pub(in crate::query::source) fn order_fingerprint(order: &OrderAccess, indexes: &Indexes) -> u128 {
    let mut encoding = Encoding::new();
    match order {
        OrderAccess::Unordered => encoding.byte(0),
        OrderAccess::Sorted => encoding.byte(1),
        OrderAccess::Path { path, is_reversed, .. } => {
            encoding.byte(2);
            encoding.direction(*is_reversed);
            encoding.path(path);
        }
        OrderAccess::Composite { index, is_reversed, .. } => {
            encoding.byte(3);
            encoding.direction(*is_reversed);
            encoding.composite(*index, indexes);
        }
    }
    encoding.hash()
}

struct Encoding {
    bytes: Vec<u8>,
}

impl Encoding {
    fn new() -> Self {
        Self { bytes: vec![ENCODING_VERSION] }
    }

    fn direction(&mut self, is_reversed: bool) {
        self.byte(if is_reversed { REVERSED } else { 0 });
    }

    fn hash(&self) -> u128 {
        // The hash of the hexadecimal text, as hashes are defined for values.
        const DIGITS: [char; 16] =
            ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
        let halves = self.bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let digits = halves.filter_map(|half| DIGITS.get(usize::from(half)));
        let mut text = String::with_capacity(self.bytes.len() * 2);
        text.extend(digits);
        text_hash(&text).max(SCAN_FINGERPRINT + 1)
    }

    fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    fn count(&mut self, count: usize) {
        self.bytes.extend_from_slice(&(count as u64).to_be_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn json(&mut self, value: &Json) {
        self.bytes.extend_from_slice(&structural_hash(value).to_be_bytes());
    }

    fn path(&mut self, path: &[IndexPathSegment]) {
        self.count(path.len());
        for segment in path {
            match segment {
                IndexPathSegment::Property(name) => {
                    self.byte(0);
                    self.text(name);
                }
                IndexPathSegment::AnyElement => self.byte(1),
            }
        }
    }

    /// A composite index by its definition: its place in the policy may change.
    fn composite(&mut self, index: usize, indexes: &Indexes) {
        let number = indexes.composites().get(index).map(composite_number);
        self.bytes.extend_from_slice(&number.unwrap_or_default().to_be_bytes());
    }

    fn lookup(&mut self, lookup: &Lookup, indexes: &Indexes) {
        match lookup {
            Lookup::Nothing => self.byte(0),
            Lookup::Everything => self.byte(1),
            Lookup::Path(condition) => {
                self.byte(2);
                self.condition(condition);
            }
            Lookup::Composite(lookup) => {
                self.byte(3);
                self.composite(lookup.index, indexes);
                self.count(lookup.equal.len());
                lookup.equal.iter().for_each(|value| self.json(value));
                self.byte(u8::from(lookup.next.is_some()));
                lookup.next.iter().for_each(|values| self.values(values));
            }
            Lookup::Intersection(parts) | Lookup::Union(parts) => {
                self.byte(if matches!(lookup, Lookup::Union(_)) { 5 } else { 4 });
                self.count(parts.len());
                parts.iter().for_each(|part| self.lookup(part, indexes));
            }
        }
    }

    fn condition(&mut self, condition: &PathCondition) {
        self.path(&condition.path);
        self.values(&condition.values);
        self.byte(u8::from(condition.test.is_some()));
    }

    fn values(&mut self, values: &ValueSet) {
        self.byte(u8::from(values.undefined));
        self.count(values.ranges().len());
        for range in values.ranges() {
            self.cut(&range.low);
            self.cut(&range.high);
        }
    }

    fn cut(&mut self, cut: &Cut) {
        match cut {
            Cut::BeforeKind(kind) => {
                self.byte(0);
                self.byte(match kind {
                    ValueKind::Null => 0,
                    ValueKind::Bool => 1,
                    ValueKind::Number => 2,
                    ValueKind::String => 3,
                    ValueKind::Array => 4,
                    ValueKind::Object => 5,
                });
            }
            Cut::Before(value) => {
                self.byte(1);
                self.json(value);
            }
            Cut::After(value) => {
                self.byte(2);
                self.json(value);
            }
            Cut::AfterPrefix(prefix) => {
                self.byte(3);
                self.text(prefix);
            }
            Cut::End => self.byte(4),
        }
    }
}

#[cfg(test)]
mod tests {
    use ::query::plan::condition::Exactness;
    use model::IndexingPolicy;

    use super::*;

    fn path_lookup(name: &str, values: ValueSet) -> Lookup {
        let path = vec![IndexPathSegment::Property(name.to_owned())];
        Lookup::Path(PathCondition { path, values, test: None, exactness: Exactness::Exact })
    }

    #[test]
    fn lookups_have_fingerprints_that_releases_share() {
        let indexes = Indexes::new(&IndexingPolicy::default());
        let of = |lookup: &Lookup| lookup_fingerprint(lookup, &indexes);
        let one = path_lookup("a", ValueSet::point(&Json::from(1)));
        // Computed once: a token of an older release must find the same number.
        assert_eq!(of(&one), FINGERPRINT_OF_A_IS_ONE);
        assert_eq!(of(&one), of(&path_lookup("a", ValueSet::point(&Json::from(1)))));
        let others = [
            path_lookup("b", ValueSet::point(&Json::from(1))),
            path_lookup("a", ValueSet::point(&Json::from(2))),
            path_lookup("a", ValueSet::defined()),
            Lookup::Union(vec![one.clone()]),
            Lookup::Intersection(vec![one.clone()]),
            Lookup::Nothing,
            Lookup::Everything,
        ];
        assert!(others.iter().all(|other| of(other) != of(&one) && of(other) != SCAN_FINGERPRINT));
    }

    const FINGERPRINT_OF_A_IS_ONE: u128 = 80_757_671_584_285_298_322_124_818_605_763_090_438;
}
