//! The charges of one item under one indexing policy, without a server.
//!
//! Owns the charge of each operation on an item, path by path, and what excluding a path from the index would save.
//! Does not own reading files or printing tables.

use std::collections::BTreeMap;

use super::LEAF_UNITS;
use super::explanation::{ChargeExplanation, ChargeTerm, decimals, number};
use super::index_cost::{IndexCost, IndexCostKind, index_costs};
use super::profile::{CHARGE_MODEL, ChargeProfile};
use super::size::item_bytes;
use crate::limits::{ITEM_BYTES_MAX, NAME_CHARACTERS_MAX, NESTING_LEVELS_MAX};
use crate::{
    IndexPath, IndexingMode, IndexingPolicy, ItemId, Json, Object, PathEnding, RequestCharge,
    Result, ValidationError,
};

/// The charges of an item under a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostStatement {
    /// Bytes of the item without system properties.
    pub bytes: usize,
    /// Create, read, replace, patch, delete, in this order.
    pub operations: Vec<PricedOperation>,
    /// Paths that could be excluded from the index, the greatest saving first.
    pub savings: Vec<PathSaving>,
}

/// The charge of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PricedOperation {
    /// The assumption behind the charge; empty when there is none.
    pub assumption: &'static str,
    /// The charge with its terms.
    pub explanation: ChargeExplanation,
}

/// What excluding a path from the index saves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathSaving {
    /// The path to exclude.
    pub path: String,
    /// Leaves below it.
    pub leaves: u64,
    /// Saved by each create and each delete.
    pub per_create: RequestCharge,
    /// Saved by each write that changes all leaves.
    pub per_change: RequestCharge,
}

impl CostStatement {
    /// Computes the charges of an item. `replacement` is its next version, if known.
    ///
    /// # Errors
    /// When the service would refuse the item: not an object, no id, too large or nested too deeply.
    pub fn new(
        item: &Json,
        replacement: Option<&Json>,
        policy: &IndexingPolicy,
        profile: ChargeProfile,
    ) -> Result<Self> {
        let bytes = validate_item(item, "item")?;
        let costs = index_costs(policy, item);
        let pricing = Pricing { profile, is_indexed: policy.mode != IndexingMode::None };
        let create = pricing.single("create", "write", bytes, &costs);
        let delete = pricing.single("delete", "remove", bytes, &costs);
        let read = pricing.explanation("read", vec![ChargeTerm::of_read(bytes)]);
        let (replace, assumption) = match replacement {
            Some(replacement) => {
                let new_bytes = validate_item(replacement, "replacement")?;
                let new = index_costs(policy, replacement);
                (pricing.replace(bytes, new_bytes, &costs, &new), "with the replacement given")
            }
            None => {
                let changed = one_leaf_changed(&costs);
                (pricing.replace(bytes, bytes, &costs, &changed), "one indexed leaf changed")
            }
        };
        let mut patch = ChargeExplanation { operation: "patch", ..replace.clone() };
        patch.terms.extend(ChargeTerm::of_patch_operations(1));
        let priced = |explanation, assumption| PricedOperation { assumption, explanation };
        let patched = match replacement {
            Some(_) => "one operation that makes the replacement",
            None => "one operation, one indexed leaf changed",
        };
        let operations = vec![
            priced(create, ""),
            priced(read, ""),
            priced(replace, assumption),
            priced(patch, patched),
            priced(delete, ""),
        ];
        Ok(Self { bytes, operations, savings: savings(&costs) })
    }
}

impl CostStatement {
    /// The statement as JSON.
    #[must_use]
    pub fn to_json(&self, profile: ChargeProfile) -> Json {
        let operation = |priced: &PricedOperation| {
            let mut object = Object::new();
            object.insert("operation", priced.explanation.operation);
            if !priced.assumption.is_empty() {
                object.insert("assumption", priced.assumption);
            }
            object.insert("charge", decimals(priced.explanation.charge()));
            object.insert("terms", priced.explanation.terms_json());
            Json::Object(object)
        };
        let saving = |saving: &PathSaving| {
            let mut object = Object::new();
            object.insert("path", saving.path.as_str());
            object.insert("leaves", number(saving.leaves));
            object.insert("perCreate", decimals(saving.per_create));
            object.insert("perChange", decimals(saving.per_change));
            Json::Object(object)
        };
        let mut object = Object::new();
        object.insert("model", CHARGE_MODEL);
        object.insert("profile", profile.as_str());
        object.insert("bytes", number(self.bytes as u64));
        object.insert("operations", self.operations.iter().map(operation).collect::<Vec<_>>());
        object.insert("savings", self.savings.iter().map(saving).collect::<Vec<_>>());
        Json::Object(object)
    }
}

struct Pricing {
    profile: ChargeProfile,
    is_indexed: bool,
}

impl Pricing {
    fn explanation(&self, operation: &'static str, terms: Vec<ChargeTerm>) -> ChargeExplanation {
        ChargeExplanation { operation, profile: self.profile, terms }
    }

    fn single(
        &self,
        operation: &'static str,
        name: &'static str,
        bytes: usize,
        costs: &[IndexCost],
    ) -> ChargeExplanation {
        let mut terms = vec![ChargeTerm::of_write(name, bytes)];
        terms.extend(ChargeTerm::of_index(costs));
        self.explanation(operation, terms)
    }

    fn replace(
        &self,
        old_bytes: usize,
        new_bytes: usize,
        old: &[IndexCost],
        new: &[IndexCost],
    ) -> ChargeExplanation {
        let mut terms = vec![ChargeTerm::of_write("write", new_bytes)];
        if self.profile.removals_paid() > 0 {
            terms.push(ChargeTerm::of_write("remove", old_bytes));
        }
        if self.is_indexed {
            terms.extend(ChargeTerm::of_changed_index(old, new));
        }
        self.explanation("replace", terms)
    }
}

/// The same index entries with another value at the first leaf that is not the id.
fn one_leaf_changed(costs: &[IndexCost]) -> Vec<IndexCost> {
    let mut changed = costs.to_vec();
    let is_free = |cost: &&mut IndexCost| cost.kind == IndexCostKind::Leaf && cost.path != "/id/?";
    if let Some(cost) = changed.iter_mut().find(is_free) {
        // Any other fingerprint means another value. The entry is then counted as removed and as added.
        cost.fingerprint = cost.fingerprint.wrapping_add(1);
    }
    changed
}

/// The savings for each path, and for each property with indexed leaves below it. The id cannot be excluded.
fn savings(costs: &[IndexCost]) -> Vec<PathSaving> {
    let mut leaves: BTreeMap<String, u64> = BTreeMap::new();
    let counted = costs.iter().filter(|cost| cost.kind == IndexCostKind::Leaf);
    for cost in counted.filter(|cost| cost.path != "/id/?") {
        *leaves.entry(cost.path.clone()).or_default() += 1;
        // Only the first property: excluding it is what a policy usually does, and every level would repeat the same
        // leaves.
        if let Some(subtree) = first_property(&cost.path) {
            *leaves.entry(subtree).or_default() += 1;
        }
    }
    let mut savings: Vec<PathSaving> = leaves
        .into_iter()
        .map(|(path, leaves)| PathSaving {
            path,
            leaves,
            per_create: RequestCharge::from_units(leaves * LEAF_UNITS),
            // The old and the new term of each leaf.
            per_change: RequestCharge::from_units(2 * leaves * LEAF_UNITS),
        })
        .collect();
    savings.sort_by(|left, right| right.leaves.cmp(&left.leaves).then(left.path.cmp(&right.path)));
    savings
}

/// The subtree of the first property of a path with several segments.
fn first_property(path: &str) -> Option<String> {
    let path = IndexPath::parse(path).ok()?;
    let [first, _, ..] = path.segments() else { return None };
    Some(IndexPath::new(vec![first.clone()], PathEnding::Subtree).to_string())
}

/// Validates an item like the service and returns its size.
fn validate_item(item: &Json, name: &str) -> Result<usize> {
    let Some(object) = item.as_object() else {
        return Err(ValidationError::new(format!(
            "The {name} is not a JSON object; every item is one."
        )));
    };
    match object.get("id") {
        Some(Json::String(id)) => {
            ItemId::new(id).map_err(|error| {
                ValidationError::new(format!(
                    "The {name} has an id at /id that is refused (at most {NAME_CHARACTERS_MAX} \
                     characters): {error}"
                ))
            })?;
        }
        _ => {
            return Err(ValidationError::new(format!(
                "The {name} has no text at /id; every item has one."
            )));
        }
    }
    if depth(item) > NESTING_LEVELS_MAX {
        return Err(ValidationError::new(format!(
            "The {name} is nested deeper than {NESTING_LEVELS_MAX} levels at {}; make it flatter.",
            deepest(item)
        )));
    }
    let bytes = item_bytes(object);
    if bytes > ITEM_BYTES_MAX {
        let (path, largest) = largest(item);
        return Err(ValidationError::new(format!(
            "The {name} has {bytes} bytes; at most {ITEM_BYTES_MAX} are allowed. The largest part \
             is {path} with {largest} bytes."
        )));
    }
    Ok(bytes)
}

fn depth(json: &Json) -> usize {
    let below = match json {
        Json::Array(elements) => elements.iter().map(depth).max(),
        Json::Object(object) => object.iter().map(|(_, value)| depth(value)).max(),
        _ => return 0,
    };
    1 + below.unwrap_or(0)
}

/// The top-level property with the deepest nesting.
fn deepest(item: &Json) -> String {
    let properties = item.as_object().into_iter().flat_map(Object::iter);
    let found = properties.max_by_key(|(_, value)| depth(value));
    found.map_or_else(String::new, |(name, _)| format!("/{name}"))
}

/// The top-level property with the most bytes.
fn largest(item: &Json) -> (String, usize) {
    let properties = item.as_object().into_iter().flat_map(Object::iter);
    let sizes = properties.map(|(name, value)| (format!("/{name}"), value.to_bytes().len()));
    sizes.max_by_key(|(_, bytes)| *bytes).unwrap_or_default()
}
