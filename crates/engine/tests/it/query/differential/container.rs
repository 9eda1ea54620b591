//! Random containers: partition key definitions, indexing policies, time to live.

use model::{
    ComputedProperty, ContainerId, ContainerProperties, EpkRange, FeedRange, IndexingPolicy, Json,
    Object, PartitionKey, PartitionKeyDefinition, TimeToLive,
};

use super::value;
use crate::account::json;
use crate::random::SeededRandom;

/// How the items of a container are partitioned.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    pub(super) definition: PartitionKeyDefinition,
    /// The properties of the levels, as items name them.
    names: &'static [&'static [&'static str]],
}

const DEFINITIONS: [(&str, &[&[&str]]); 6] = [
    (r#"{"paths":["/k"],"kind":"Hash","version":2}"#, &[&["k"]]),
    (r#"{"paths":["/k"],"kind":"Hash","version":1}"#, &[&["k"]]),
    (r#"{"paths":["/m/k"],"kind":"Hash","version":2}"#, &[&["m", "k"]]),
    (r#"{"paths":["/k","/j"],"kind":"MultiHash","version":2}"#, &[&["k"], &["j"]]),
    (r#"{"paths":["/k","/j","/id"],"kind":"MultiHash","version":2}"#, &[&["k"], &["j"]]),
    (r#"{"paths":["/id"],"kind":"Hash","version":2}"#, &[]),
];

/// Partition key values: a handful, of every type a key can have.
const KEY_VALUES: [&str; 9] =
    [r#""p""#, r#""q""#, r#""p""#, r#""q""#, r#""""#, "1", "0", "null", "true"];
const ODD_KEY_VALUES: [&str; 6] =
    ["-0.0", "9007199254740993", "9007199254740992", "[1]", "{}", r#""a\u0000b""#];

impl Keys {
    pub(super) fn random(random: &mut SeededRandom) -> Self {
        let (definition, names) = DEFINITIONS[random.weighted(&[40, 5, 10, 20, 10, 5])];
        Self { definition: PartitionKeyDefinition::from_json(&json(definition)).unwrap(), names }
    }

    /// A value of one level.
    pub(super) fn value(random: &mut SeededRandom) -> Json {
        match random.weighted(&[92, 8]) {
            0 => json(random.pick::<&str>(&KEY_VALUES)),
            _ => json(random.pick::<&str>(&ODD_KEY_VALUES)),
        }
    }

    /// Gives an item its partition key; a level may be missing.
    pub(super) fn fill(&self, random: &mut SeededRandom, item: &mut Object) {
        for path in self.names {
            if random.percent(8) {
                continue;
            }
            match path {
                [outer, inner] => {
                    let mut object = Object::new();
                    object.insert(*inner, Self::value(random));
                    item.insert(*outer, object);
                }
                [name] => item.insert(*name, Self::value(random)),
                _ => unreachable!("no key is deeper"),
            }
        }
    }

    /// The paths of the levels, as queries name them after the alias.
    pub(super) fn query_paths(&self) -> Vec<String> {
        let steps = |path: &model::PropertyPath| {
            path.segments().iter().map(|name| format!(".{name}")).collect::<String>()
        };
        self.definition.paths().iter().map(steps).collect()
    }

    /// A part of the container; for most queries all of it.
    pub(super) fn feed_range(&self, random: &mut SeededRandom, items: &[Json]) -> FeedRange {
        let some_key = |random: &mut SeededRandom| match items {
            [] => PartitionKey::from("p"),
            items => self.definition.extract(random.pick(items)),
        };
        match random.weighted(&[55, 25, 10, 10]) {
            0 => FeedRange::Container,
            1 => FeedRange::PartitionKey(some_key(random)),
            2 => {
                let key = some_key(random);
                let levels = 1 + random.index(key.components().len());
                let prefix = key.components().iter().take(levels).cloned();
                FeedRange::PartitionKey(PartitionKey::from_values(prefix))
            }
            _ => {
                let parts = EpkRange::equal_parts(1 + random.index(5), &self.definition);
                FeedRange::Epk(random.pick(&parts).clone())
            }
        }
    }
}

/// The properties of a random container.
pub(super) fn properties(
    random: &mut SeededRandom,
    keys: &Keys,
    is_wide: bool,
) -> ContainerProperties {
    let id = ContainerId::new("c").unwrap();
    let mut properties = ContainerProperties::new(id, keys.definition.clone());
    properties.indexing_policy = policy(random);
    properties.default_time_to_live = match random.weighted(&[60, 25, 15]) {
        0 => TimeToLive::Off,
        1 => TimeToLive::NoDefault,
        _ => TimeToLive::Seconds(60),
    };
    if properties.validate().is_err() {
        // Items cannot expire without an index.
        properties.default_time_to_live = TimeToLive::Off;
    }
    if is_wide {
        properties.computed_properties = computed_properties(random);
    }
    properties
}

/// Some computed properties; one hides a stored property of its name.
fn computed_properties(random: &mut SeededRandom) -> Vec<ComputedProperty> {
    let mut computed = Vec::new();
    for (name, query, percent) in [
        ("low", "SELECT VALUE LOWER(c.s) FROM c", 60),
        ("twice", "SELECT VALUE c.n * 2 FROM c", 60),
        ("part", "SELECT VALUE c.o FROM c", 50),
        ("made", r#"SELECT VALUE {"x": c.a, "y": [c.n]} FROM c"#, 50),
        ("b", "SELECT VALUE c.a FROM c", 15),
    ] {
        if random.percent(percent) {
            computed.push(ComputedProperty::new(name, query).unwrap());
        }
    }
    computed
}

/// Paths that policies include or exclude.
const PATHS: [&str; 14] = [
    "/a/?",
    "/a/*",
    "/b/?",
    "/n/?",
    "/s/?",
    "/o/*",
    "/o/x/?",
    "/o/?",
    "/l/[]/?",
    "/l/*",
    "/r/[]/x/?",
    "/r/*",
    "/k/?",
    "/\"x y\"/*",
];

const COMPOSITE_PATHS: [&str; 9] = ["/a", "/b", "/n", "/s", "/o/x", "/o/y", "/k", "/_ts", "/id"];
const ELEMENT_PATHS: [&str; 3] = ["/l/[]", "/r/[]/x", "/r/[]/y"];

/// A random indexing policy.
pub(super) fn policy(random: &mut SeededRandom) -> IndexingPolicy {
    loop {
        let text = match random.weighted(&[30, 60, 7, 3]) {
            0 => default_policy(random),
            2 => r#"{"indexingMode":"none"}"#.to_owned(),
            _ => chosen_policy(random),
        };
        // Two rules of a draw may contradict each other.
        if let Ok(policy) = IndexingPolicy::from_json(&json(&text)) {
            return policy;
        }
    }
}

fn default_policy(random: &mut SeededRandom) -> String {
    format!(r#"{{"includedPaths":[{{"path":"/*"}}],"compositeIndexes":[{}]}}"#, composites(random))
}

fn chosen_policy(random: &mut SeededRandom) -> String {
    let mut paths: Vec<String> = Vec::new();
    for _ in 0..random.below(5) {
        let path = random.pick(&PATHS).replace('"', "\\\"");
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let mut named = [vec!["/*".to_owned()], Vec::new()];
    if random.percent(40) {
        named.swap(0, 1);
    }
    for path in paths {
        named[random.index(2)].push(path);
    }
    let [included, excluded] = named.map(|paths| {
        let paths: Vec<String> =
            paths.iter().map(|path| format!(r#"{{"path":"{path}"}}"#)).collect();
        paths.join(",")
    });
    format!(
        r#"{{"includedPaths":[{included}],"excludedPaths":[{excluded}],
            "compositeIndexes":[{}]}}"#,
        composites(random)
    )
}

fn composites(random: &mut SeededRandom) -> String {
    let mut all = Vec::new();
    for _ in 0..random.below(4) {
        let mut paths: Vec<&str> = Vec::new();
        for _ in 0..2 + random.below(2) {
            let from: &[&str] = if random.percent(12) { &ELEMENT_PATHS } else { &COMPOSITE_PATHS };
            let path = *random.pick(from);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        let paths: Vec<String> = paths
            .into_iter()
            .map(|path| {
                let order = random.pick(&["ascending", "descending"]);
                format!(r#"{{"path":"{path}","order":"{order}"}}"#)
            })
            .collect();
        all.push(format!("[{}]", paths.join(",")));
    }
    all.join(",")
}

/// A value that filters compare keys and other properties with.
pub(super) fn constant(random: &mut SeededRandom, path: &str) -> Json {
    match path {
        ".k" | ".j" | ".m.k" => Keys::value(random),
        ".id" => Json::from(super::item::id(random).as_str()),
        ".n" => value::number(random),
        ".s" => value::text(random),
        _ => value::any(random),
    }
}
