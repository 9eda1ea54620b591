//! Compares a container with its declaration.
//!
//! Owns the normal form for the comparison: defaults of the service, the order of paths, and undeclared properties are
//! not differences. Does not own counting the affected items.

use client::{ContainerProperties, TimeToLive};
use model::{
    CompositeIndex, CompositeOrder, IndexingMode, IndexingPolicy, Json, PartitionKeyDefinition,
    PartitionKeyKind, PartitionKeyVersion, SpatialIndex, UniqueKey,
};

use crate::schema::declaration::{ContainerSchema, OptionalProperty};

/// The differences of one container.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Differences {
    /// Properties that can be changed, with their differences.
    pub(super) changes: Vec<(&'static str, Vec<String>)>,
    /// Properties that cannot be changed, with their differences and the reason.
    pub(super) obstacles: Vec<(&'static str, Vec<String>, &'static str)>,
}

pub(super) const TIME_TO_LIVE: &str = "default_ttl";
pub(super) const INDEXING_POLICY: &str = "indexing policy";

/// The differences, and the properties after the change.
pub(super) fn compare(
    declared: &ContainerSchema,
    actual: &ContainerProperties,
) -> (Differences, ContainerProperties) {
    let mut differences = Differences::default();
    compare_fixed(declared, actual, &mut differences);
    let mut merged = actual.clone();
    let wanted = declared.properties();
    let (old, new) = (actual.default_time_to_live, wanted.default_time_to_live);
    if old != new {
        differences.changes.push((TIME_TO_LIVE, vec![arrow(&ttl(old), &ttl(new))]));
        merged.default_time_to_live = new;
    }
    let policy = merged_policy(declared, &actual.indexing_policy);
    let lines = policy_lines(&actual.indexing_policy, &policy);
    if !lines.is_empty() {
        differences.changes.push((INDEXING_POLICY, lines));
        merged.indexing_policy = policy;
    }
    compare_optional(declared, &mut merged, &mut differences);
    (differences, merged)
}

/// Compares what can only be chosen when a container is created.
fn compare_fixed(declared: &ContainerSchema, actual: &ContainerProperties, out: &mut Differences) {
    let wanted = declared.properties();
    let (old, new) = (&actual.partition_key, &wanted.partition_key);
    let is_versioned = declared.declares(OptionalProperty::PartitionKeyVersion);
    let same_version = !is_versioned || old.version() == new.version();
    let same_kind = old.kind() == new.kind();
    if old.paths() != new.paths() || !same_kind || !same_version {
        let how = arrow(&key(old, is_versioned), &key(new, is_versioned));
        let why = "the partition key of a container is chosen when it is created";
        out.obstacles.push(("partition key", vec![how], why));
    }
    let (old, new) = (unique(&actual.unique_keys), unique(&wanted.unique_keys));
    if old != new {
        let why = "unique keys of a container are chosen when it is created";
        out.obstacles.push(("unique keys", set_lines("", &old, &new), why));
    }
    if declared.declares(OptionalProperty::ConflictResolution)
        && actual.conflict_resolution != wanted.conflict_resolution
    {
        let (old, new) =
            (actual.conflict_resolution.to_json(), wanted.conflict_resolution.to_json());
        let how = arrow(&old.to_string(), &new.to_string());
        let why = "conflict resolution of a container is chosen when it is created";
        out.obstacles.push(("conflict resolution", vec![how], why));
    }
}

/// Compares the properties that a declaration may omit.
fn compare_optional(
    declared: &ContainerSchema,
    merged: &mut ContainerProperties,
    out: &mut Differences,
) {
    let wanted = declared.properties();
    let mut differs = |aspect, what, old: Option<Json>, new: Option<Json>| {
        let differs = declared.declares(aspect) && old != new;
        if differs {
            let shown = |json: Option<Json>| json.map_or("none".to_owned(), |it| it.to_string());
            out.changes.push((what, vec![arrow(&shown(old), &shown(new))]));
        }
        differs
    };
    let computed = |properties: &ContainerProperties| {
        let list = properties.computed_properties.iter().map(model::ComputedProperty::to_json);
        Some(Json::Array(list.collect()))
    };
    let (old, new) = (computed(merged), computed(wanted));
    if differs(OptionalProperty::ComputedProperties, "computed properties", old, new) {
        merged.computed_properties.clone_from(&wanted.computed_properties);
    }
    let geo = |it: &ContainerProperties| Some(it.geospatial_config.to_json());
    if differs(OptionalProperty::Geospatial, "geospatial config", geo(merged), geo(wanted)) {
        merged.geospatial_config = wanted.geospatial_config;
    }
    let feed = |it: &ContainerProperties| it.change_feed_policy.map(|policy| policy.to_json());
    if differs(OptionalProperty::ChangeFeed, "change feed policy", feed(merged), feed(wanted)) {
        merged.change_feed_policy = wanted.change_feed_policy;
    }
    let text = |it: &ContainerProperties| it.full_text_policy.as_ref().map(|one| one.to_json());
    if differs(OptionalProperty::FullText, "full-text policy", text(merged), text(wanted)) {
        merged.full_text_policy.clone_from(&wanted.full_text_policy);
    }
    let vectors =
        |it: &ContainerProperties| it.vector_embedding_policy.as_ref().map(|one| one.to_json());
    let (old, new) = (vectors(merged), vectors(wanted));
    if differs(OptionalProperty::VectorEmbeddings, "vector embedding policy", old, new) {
        merged.vector_embedding_policy.clone_from(&wanted.vector_embedding_policy);
    }
}

/// The declared policy; undeclared parts stay unchanged.
fn merged_policy(declared: &ContainerSchema, actual: &IndexingPolicy) -> IndexingPolicy {
    let mut policy = declared.properties().indexing_policy.clone();
    if !declared.declares(OptionalProperty::VectorIndexes) {
        policy.vector.clone_from(&actual.vector);
    }
    if !declared.declares(OptionalProperty::FullTextIndexes) {
        policy.full_text.clone_from(&actual.full_text);
    }
    if !declared.declares(OptionalProperty::SpatialTypes) {
        for index in &mut policy.spatial {
            if let Some(there) = actual.spatial.iter().find(|there| there.path == index.path) {
                index.clone_from(there);
            }
        }
    }
    policy
}

/// The paths or indexes of one kind in a policy, as text.
type Listing = fn(&IndexingPolicy) -> Vec<String>;

/// The differences of two policies; none if only the order differs.
fn policy_lines(old: &IndexingPolicy, new: &IndexingPolicy) -> Vec<String> {
    let mut lines = Vec::new();
    if old.mode != new.mode {
        lines.push(format!("mode {}", arrow(mode(old.mode), mode(new.mode))));
    }
    let sets: [(&str, Listing); 6] = [
        ("included ", |it| it.included.iter().map(|one| one.path.to_string()).collect()),
        ("excluded ", |it| it.excluded.iter().map(ToString::to_string).collect()),
        ("composite ", |it| it.composite.iter().map(composite).collect()),
        ("spatial ", |it| it.spatial.iter().map(spatial).collect()),
        ("vector ", |it| members(it, "vectorIndexes")),
        ("full-text ", |it| members(it, "fullTextIndexes")),
    ];
    for (name, list) in sets {
        let sorted = |policy| {
            let mut list = list(policy);
            // Lists of a policy are sets: an account may return them in another order.
            list.sort();
            list
        };
        lines.extend(set_lines(name, &sorted(old), &sorted(new)));
    }
    lines
}

fn members(policy: &IndexingPolicy, name: &str) -> Vec<String> {
    let json = policy.to_json();
    let list = json.get(name).and_then(Json::as_array).unwrap_or_default();
    list.iter().map(ToString::to_string).collect()
}

/// The removed and added entries, as text.
fn set_lines(name: &str, old: &[String], new: &[String]) -> Vec<String> {
    let added = new.iter().filter(|one| !old.contains(one)).map(|one| format!("+ {name}{one}"));
    let removed = old.iter().filter(|one| !new.contains(one)).map(|one| format!("- {name}{one}"));
    removed.chain(added).collect()
}

fn arrow(old: &str, new: &str) -> String {
    format!("{old} -> {new}")
}

/// A time to live as text.
pub(super) fn ttl(time_to_live: TimeToLive) -> String {
    const DAY_SECONDS: u32 = 86_400;
    match time_to_live {
        TimeToLive::Off => "off".to_owned(),
        TimeToLive::NoDefault => "on, no default".to_owned(),
        TimeToLive::Seconds(seconds) if seconds.is_multiple_of(DAY_SECONDS) => {
            let days = seconds / DAY_SECONDS;
            format!("{seconds} s ({days} day{})", if days == 1 { "" } else { "s" })
        }
        TimeToLive::Seconds(seconds) => format!("{seconds} s"),
    }
}

/// A partition key definition as text.
pub(super) fn key(definition: &PartitionKeyDefinition, is_versioned: bool) -> String {
    let paths: Vec<&str> = definition.paths().iter().map(|path| path.as_str()).collect();
    let mut text = paths.join(", ");
    if definition.kind() == PartitionKeyKind::MultiHash && paths.len() == 1 {
        text += " (hierarchical)";
    }
    if is_versioned {
        text += match definition.version() {
            PartitionKeyVersion::V1 => " (version 1)",
            PartitionKeyVersion::V2 => " (version 2)",
        };
    }
    text
}

fn mode(mode: IndexingMode) -> &'static str {
    match mode {
        IndexingMode::Consistent => "consistent",
        IndexingMode::None => "none",
    }
}

fn composite(index: &CompositeIndex) -> String {
    let paths = index.paths.iter().map(|one| match one.order {
        CompositeOrder::Ascending => one.path.to_string(),
        CompositeOrder::Descending => format!("{} descending", one.path),
    });
    format!("({})", paths.collect::<Vec<_>>().join(", "))
}

fn spatial(index: &SpatialIndex) -> String {
    let mut types: Vec<&str> = index.types.iter().map(|one| one.as_str()).collect();
    types.sort_unstable();
    let mut text = format!("{} [{}]", index.path, types.join(", "));
    if let Some(bounds) = &index.bounding_box {
        let sides = [&bounds.xmin, &bounds.ymin, &bounds.xmax, &bounds.ymax];
        let sides = sides.map(|side| Json::Number(side.clone()).to_string());
        text += &format!(" within {}", sides.join(", "));
    }
    text
}

fn unique(keys: &[UniqueKey]) -> Vec<String> {
    let one = |key: &UniqueKey| {
        let paths: Vec<&str> = key.paths().iter().map(|path| path.as_str()).collect();
        format!("({})", paths.join(", "))
    };
    let mut keys: Vec<String> = keys.iter().map(one).collect();
    keys.sort();
    keys
}
