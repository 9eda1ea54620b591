//! Derives the index terms of an item under a policy.
//!
//! Terms are: every included scalar, the structure of an array or object at an included path, one per composite index,
//! and the shape (the set of paths present). A pure function.

use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;

use bytes::BytesMut;
use model::charge::{LEAF_UNITS, structural_costs};
use model::value::structural_hash;
use model::{IndexPathSegment, IndexingMode, IndexingPolicy, Json, MatcherState, Object};
use storage::{StorageKey, StorageValue};

use super::policy::{CompiledComposite, CompiledPolicy};
use crate::key_layout::{ItemKey, TermMaker, shape_paths_key};
use crate::ordered_bytes::{invert_from, push_value};

/// System properties that are never indexed: queries do not filter by them, and they repeat what the key contains.
const UNINDEXED_SYSTEM_PROPERTIES: [&str; 3] = ["_rid", "_self", "_attachments"];

/// Buffer for the keys of an ordinary item.
// All keys of an item share this buffer as slices. An item with more terms gets further ones.
const KEYS_BYTES: usize = 8 * 1024;

/// Everything that an item adds to the terms space.
#[derive(Debug, Default)]
pub(crate) struct ItemTerms {
    /// Terms in key order, except those of [`terms_of_only`]; equal array elements share one term.
    pub(crate) entries: Vec<(StorageKey, StorageValue)>,
    /// The list of paths of the item's shape, stored once for all items of that shape.
    pub(crate) shape: Option<(StorageKey, StorageValue)>,
    /// What writes are charged for: scalar leaves except system properties, and composite, spatial and vector indexes.
    pub(crate) leaves: Vec<IndexedLeaf>,
}

/// One index entry that a write is charged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct IndexedLeaf {
    /// Hash of path and value.
    pub(crate) fingerprint: u64,
    /// The charge in 1/21 request units.
    pub(crate) units: u64,
}

impl ItemTerms {
    /// Whether the item has a term. Only for terms in key order.
    pub(crate) fn contains(&self, key: &StorageKey) -> bool {
        self.entries.binary_search_by(|(known, _)| known.cmp(key)).is_ok()
    }
}

/// Derives all terms of an item.
pub(crate) fn terms_of(
    policy: &CompiledPolicy,
    key: &ItemKey,
    ordinal: u64,
    item: &Json,
) -> ItemTerms {
    derive(policy, key, ordinal, item, true, true)
}

/// The same in any order, for an item that is created or removed: it has no other version to compare its terms with.
pub(crate) fn terms_of_only(
    policy: &CompiledPolicy,
    key: &ItemKey,
    ordinal: u64,
    item: &Json,
) -> ItemTerms {
    derive(policy, key, ordinal, item, true, false)
}

/// The same without the terms that contain etag or timestamp: see [`version_terms`]. Both are in the shape, so that the
/// item must have them.
pub(crate) fn terms_without_version(
    policy: &CompiledPolicy,
    key: &ItemKey,
    ordinal: u64,
    item: &Json,
) -> ItemTerms {
    derive(policy, key, ordinal, item, false, true)
}

/// The terms that contain etag or timestamp, from a part of the item: see [`properties_beside_version`].
pub(crate) fn version_terms(
    policy: &CompiledPolicy,
    key: &ItemKey,
    ordinal: u64,
    (etag, seconds): (&str, u64),
    beside: &Object,
) -> Vec<(StorageKey, StorageValue)> {
    if policy.mode == IndexingMode::None {
        return Vec::new();
    }
    let mut builder = TermBuilder::new(key, ordinal, true);
    let root = policy.matcher.root();
    let etag = Json::from(etag);
    let seconds = Json::from(i64::try_from(seconds).unwrap_or(i64::MAX));
    builder.property(root, "_etag", &etag);
    builder.property(root, "_ts", &seconds);
    if policy.has_composite_version() {
        let mut item = beside.clone();
        item.insert("_etag", etag);
        item.insert("_ts", seconds);
        let item = Json::Object(item);
        for composite in policy.composites.iter().filter(|composite| composite.has_version()) {
            builder.composite(composite, &item);
        }
    }
    builder.terms.entries
}

/// The properties that composite indexes combine with the etag or the timestamp; empty under nearly every policy.
pub(crate) fn properties_beside_version(policy: &CompiledPolicy, item: &Json) -> Object {
    let mut beside = Object::new();
    let composites = policy.composites.iter().filter(|composite| composite.has_version());
    for property in composites.flat_map(|composite| &composite.properties) {
        if let Some(IndexPathSegment::Property(name)) = property.segments.first()
            && let Some(value) = item.get(name)
        {
            beside.insert(name.clone(), value.clone());
        }
    }
    beside
}

fn derive(
    policy: &CompiledPolicy,
    key: &ItemKey,
    ordinal: u64,
    item: &Json,
    has_version: bool,
    is_sorted: bool,
) -> ItemTerms {
    // Not even a shape: queries then scan, and a scan needs no terms.
    if policy.mode == IndexingMode::None {
        return ItemTerms::default();
    }
    let mut builder = TermBuilder::new(key, ordinal, has_version);
    builder.root(policy.matcher.root(), item);
    for composite in &policy.composites {
        if has_version || !composite.has_version() {
            builder.composite(composite, item);
        }
    }
    if policy.has_structural_costs() {
        builder.structural(&policy.policy, item);
    }
    builder.shape();
    let mut terms = std::mem::take(&mut builder.terms);
    // Sorted for `contains`, which compares old and new terms by binary search, and to find equal elements. Sorting is
    // a noticeable part of a create, which often needs neither.
    if is_sorted || builder.has_elements {
        terms.entries.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        terms.entries.dedup_by(|(left, _), (right, _)| left == right);
    }
    terms
}

/// The text of a path in terms: `/` before each segment, `[]` for array elements. In names, `~0` is `~`, `~1` is `/`,
/// and `~2` is a name that is literally `[]`.
pub(crate) fn path_text(segments: &[IndexPathSegment]) -> Vec<u8> {
    let mut path = Vec::new();
    for segment in segments {
        match segment {
            IndexPathSegment::Property(name) => push_property(&mut path, name),
            IndexPathSegment::AnyElement => path.extend_from_slice(b"/[]"),
        }
    }
    path
}

/// The inverse of [`path_text`].
pub(crate) fn path_segments(text: &[u8]) -> Vec<IndexPathSegment> {
    let text = String::from_utf8_lossy(text);
    let names = text.split('/').skip(1).map(|name| match name {
        "[]" => IndexPathSegment::AnyElement,
        "~2" => IndexPathSegment::Property("[]".to_owned()),
        // In this order: a name may contain `~1` literally, which is written `~01`.
        name => IndexPathSegment::Property(name.replace("~1", "/").replace("~0", "~")),
    });
    names.collect()
}

fn push_property(path: &mut Vec<u8>, name: &str) {
    path.push(b'/');
    if name == "[]" {
        path.extend_from_slice(b"~2");
        return;
    }
    for &byte in name.as_bytes() {
        match byte {
            b'~' => path.extend_from_slice(b"~0"),
            b'/' => path.extend_from_slice(b"~1"),
            _ => path.push(byte),
        }
    }
}

/// Collects terms while visiting an item.
struct TermBuilder<'item> {
    key: &'item ItemKey,
    maker: TermMaker<'item>,
    path: Vec<u8>,
    paths: PathList,
    /// The current value; a field so that its allocation is reused.
    encoded: Vec<u8>,
    terms: ItemTerms,
    /// Whether etag and timestamp get terms.
    has_version: bool,
    /// Whether several elements of an array have terms, which may be equal.
    has_elements: bool,
}

impl<'item> TermBuilder<'item> {
    fn new(key: &'item ItemKey, ordinal: u64, has_version: bool) -> Self {
        Self {
            key,
            maker: TermMaker { item: key, ordinal, room: BytesMut::with_capacity(KEYS_BYTES) },
            path: Vec::new(),
            paths: PathList::default(),
            encoded: Vec::new(),
            terms: ItemTerms::default(),
            has_version,
            has_elements: false,
        }
    }

    fn root(&mut self, state: MatcherState<'_>, item: &Json) {
        let Some(object) = item.as_object() else { return };
        for (name, value) in object.iter() {
            // Only at the root: a nested property of that name is the client's own.
            if UNINDEXED_SYSTEM_PROPERTIES.contains(&name) {
                continue;
            }
            self.property(state, name, value);
        }
    }

    fn property(&mut self, state: MatcherState<'_>, name: &str, value: &Json) {
        let length = self.path.len();
        push_property(&mut self.path, name);
        self.value(state.property(name), value);
        self.path.truncate(length);
    }

    fn value(&mut self, state: MatcherState<'_>, value: &Json) {
        if state.scalar_included() {
            self.single(value);
        }
        // After the scalar: a path may be included itself while everything below it is excluded.
        if state.subtree_excluded() {
            return;
        }
        match value {
            Json::Object(object) => {
                for (name, value) in object.iter() {
                    self.property(state, name, value);
                }
            }
            Json::Array(elements) => {
                let length = self.path.len();
                self.path.extend_from_slice(b"/[]");
                self.has_elements |= elements.len() > 1;
                for element in elements {
                    self.value(state.element(), element);
                }
                self.path.truncate(length);
            }
            _ => {}
        }
    }

    fn single(&mut self, value: &Json) {
        let is_version = matches!(self.path.as_slice(), b"/_ts" | b"/_etag");
        self.paths.push(&self.path);
        if is_version && !self.has_version {
            return;
        }
        self.encoded.clear();
        push_value(&mut self.encoded, Some(value));
        let keys = self.maker.single(&self.path, &self.encoded);
        self.insert(keys);
        let is_scalar = !matches!(value, Json::Array(_) | Json::Object(_));
        // System properties change with every write; charging for them would charge every write for them.
        if is_scalar && !is_version {
            // A fingerprint is compared only within one write and never stored, so any hash will do.
            let mut leaf = DefaultHasher::new();
            leaf.write(&self.path);
            leaf.write(&self.encoded);
            let fingerprint = leaf.finish();
            self.terms.leaves.push(IndexedLeaf { fingerprint, units: LEAF_UNITS });
        }
    }

    /// Adds the charges of composite, spatial and vector indexes.
    fn structural(&mut self, policy: &IndexingPolicy, item: &Json) {
        for cost in structural_costs(policy, item) {
            let mut hasher = DefaultHasher::new();
            hasher.write(cost.path.as_bytes());
            hasher.write_u64(cost.fingerprint);
            let fingerprint = hasher.finish();
            self.terms.leaves.push(IndexedLeaf { fingerprint, units: cost.units });
        }
    }

    fn insert(&mut self, keys: crate::key_layout::TermKeys) {
        self.terms.entries.push((keys.local, self.key.id_bytes()));
        self.terms.entries.push((keys.global, self.key.as_bytes().clone()));
    }

    /// Adds one term per item, or one per element of the first path with an element wildcard.
    fn composite(&mut self, composite: &CompiledComposite, item: &Json) {
        let expanded = composite
            .properties
            .iter()
            .position(|property| property.segments.contains(&IndexPathSegment::AnyElement));
        let choices = match expanded.and_then(|index| composite.properties.get(index)) {
            Some(property) => resolve_all(item, &property.segments),
            None => vec![None],
        };
        // An item without elements still has one term, or an order by this index would lose it.
        let choices = if choices.is_empty() { vec![None] } else { choices };
        self.has_elements |= choices.len() > 1;
        for choice in choices {
            let mut values = Vec::new();
            for (index, property) in composite.properties.iter().enumerate() {
                let value = if Some(index) == expanded {
                    choice
                } else {
                    // The first element only: the cross product of two arrays could be huge.
                    resolve_all(item, &property.segments).into_iter().next().flatten()
                };
                // Undefined values are encoded too, or ORDER BY on this index would lose the item.
                let start = values.len();
                push_value(&mut values, value);
                if property.descending {
                    invert_from(&mut values, start);
                }
            }
            let keys = self.maker.composite(composite.number, &values);
            self.insert(keys);
        }
    }

    fn shape(&mut self) {
        let text = self.paths.sorted();
        let hash = structural_hash(&Json::from(String::from_utf8_lossy(&text).into_owned()));
        let keys = self.maker.shape(hash);
        self.insert(keys);
        // Written with every item of a new shape and never counted: an entry without items costs a few bytes and finds
        // nothing.
        self.terms.shape = Some((shape_paths_key(hash), text.into()));
    }
}

/// The paths of an item, in one buffer to avoid an allocation each.
#[derive(Default)]
struct PathList {
    text: Vec<u8>,
    ranges: Vec<Range<usize>>,
}

impl PathList {
    fn push(&mut self, path: &[u8]) {
        let start = self.text.len();
        self.text.extend_from_slice(path);
        self.ranges.push(start..self.text.len());
    }

    /// The distinct paths, sorted and joined by newlines.
    fn sorted(&self) -> Vec<u8> {
        let path = |range: &Range<usize>| self.text.get(range.clone()).unwrap_or_default();
        let mut paths: Vec<_> = self.ranges.iter().map(path).collect();
        paths.sort_unstable();
        paths.dedup();
        paths.join(b"\n".as_slice())
    }
}

/// The values at a path; `[]` matches every element.
fn resolve_all<'item>(
    item: &'item Json,
    segments: &[IndexPathSegment],
) -> Vec<Option<&'item Json>> {
    let mut found = vec![item];
    for segment in segments {
        found = match segment {
            IndexPathSegment::Property(name) => {
                found.into_iter().filter_map(|value| value.get(name)).collect()
            }
            IndexPathSegment::AnyElement => {
                found.into_iter().filter_map(Json::as_array).flatten().collect()
            }
        };
    }
    found.into_iter().map(Some).collect()
}
