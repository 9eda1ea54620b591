//! Random containers: partition key definitions, indexing policies, time to live.

use model::{
    ComputedProperty, ContainerId, ContainerProperties, EpkRange, FeedRange, IndexingPolicy, Json,
    Object, PartitionKey, PartitionKeyDefinition, TimeToLive,
};

use super::value;
use crate::account::json;
use crate::dice::Dice;

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
    pub(super) fn random(dice: &mut Dice) -> Self {
        let (definition, names) = DEFINITIONS[dice.weighted(&[40, 5, 10, 20, 10, 5])];
        Self { definition: PartitionKeyDefinition::from_json(&json(definition)).unwrap(), names }
    }

    /// A value of one level.
    pub(super) fn value(dice: &mut Dice) -> Json {
        match dice.weighted(&[92, 8]) {
            0 => json(dice.pick::<&str>(&KEY_VALUES)),
            _ => json(dice.pick::<&str>(&ODD_KEY_VALUES)),
        }
    }

    /// Gives an item its partition key; a level may be missing.
    pub(super) fn fill(&self, dice: &mut Dice, item: &mut Object) {
        for path in self.names {
            if dice.percent(8) {
                continue;
            }
            match path {
                [outer, inner] => {
                    let mut object = Object::new();
                    object.insert(*inner, Self::value(dice));
                    item.insert(*outer, object);
                }
                [name] => item.insert(*name, Self::value(dice)),
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
    pub(super) fn feed_range(&self, dice: &mut Dice, items: &[Json]) -> FeedRange {
        let some_key = |dice: &mut Dice| match items {
            [] => PartitionKey::from("p"),
            items => self.definition.extract(dice.pick(items)),
        };
        match dice.weighted(&[55, 25, 10, 10]) {
            0 => FeedRange::Container,
            1 => FeedRange::PartitionKey(some_key(dice)),
            2 => {
                let key = some_key(dice);
                let levels = 1 + dice.place(key.components().len());
                let prefix = key.components().iter().take(levels).cloned();
                FeedRange::PartitionKey(PartitionKey::from_values(prefix))
            }
            _ => {
                let parts = EpkRange::equal_parts(1 + dice.place(5), &self.definition);
                FeedRange::Epk(dice.pick(&parts).clone())
            }
        }
    }
}

/// The properties of a random container.
pub(super) fn properties(dice: &mut Dice, keys: &Keys, is_wide: bool) -> ContainerProperties {
    let id = ContainerId::new("c").unwrap();
    let mut properties = ContainerProperties::new(id, keys.definition.clone());
    properties.indexing_policy = policy(dice);
    properties.default_time_to_live = match dice.weighted(&[60, 25, 15]) {
        0 => TimeToLive::Off,
        1 => TimeToLive::NoDefault,
        _ => TimeToLive::Seconds(60),
    };
    if properties.validate().is_err() {
        // Items cannot expire without an index.
        properties.default_time_to_live = TimeToLive::Off;
    }
    if is_wide {
        properties.computed_properties = computed_properties(dice);
    }
    properties
}

/// Some computed properties; one hides a stored property of its name.
fn computed_properties(dice: &mut Dice) -> Vec<ComputedProperty> {
    let mut computed = Vec::new();
    for (name, query, percent) in [
        ("low", "SELECT VALUE LOWER(c.s) FROM c", 60),
        ("twice", "SELECT VALUE c.n * 2 FROM c", 60),
        ("part", "SELECT VALUE c.o FROM c", 50),
        ("made", r#"SELECT VALUE {"x": c.a, "y": [c.n]} FROM c"#, 50),
        ("b", "SELECT VALUE c.a FROM c", 15),
    ] {
        if dice.percent(percent) {
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
pub(super) fn policy(dice: &mut Dice) -> IndexingPolicy {
    loop {
        let text = match dice.weighted(&[30, 60, 7, 3]) {
            0 => default_policy(dice),
            1 => chosen_policy(dice, "true"),
            2 => r#"{"indexingMode":"none","automatic":false}"#.to_owned(),
            _ => chosen_policy(dice, "false"),
        };
        // Two rules of a draw may contradict each other.
        if let Ok(policy) = IndexingPolicy::from_json(&json(&text)) {
            return policy;
        }
    }
}

fn default_policy(dice: &mut Dice) -> String {
    format!(r#"{{"includedPaths":[{{"path":"/*"}}],"compositeIndexes":[{}]}}"#, composites(dice))
}

fn chosen_policy(dice: &mut Dice, automatic: &str) -> String {
    let mut paths: Vec<String> = Vec::new();
    for _ in 0..dice.below(5) {
        let path = dice.pick(&PATHS).replace('"', "\\\"");
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let mut named = [vec!["/*".to_owned()], Vec::new()];
    if dice.percent(40) {
        named.swap(0, 1);
    }
    for path in paths {
        named[dice.place(2)].push(path);
    }
    let [included, excluded] = named.map(|paths| {
        let paths: Vec<String> =
            paths.iter().map(|path| format!(r#"{{"path":"{path}"}}"#)).collect();
        paths.join(",")
    });
    format!(
        r#"{{"automatic":{automatic},"includedPaths":[{included}],"excludedPaths":[{excluded}],
            "compositeIndexes":[{}]}}"#,
        composites(dice)
    )
}

fn composites(dice: &mut Dice) -> String {
    let mut all = Vec::new();
    for _ in 0..dice.below(4) {
        let mut paths: Vec<&str> = Vec::new();
        for _ in 0..2 + dice.below(2) {
            let from: &[&str] = if dice.percent(12) { &ELEMENT_PATHS } else { &COMPOSITE_PATHS };
            let path = *dice.pick(from);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        let paths: Vec<String> = paths
            .into_iter()
            .map(|path| {
                let order = dice.pick(&["ascending", "descending"]);
                format!(r#"{{"path":"{path}","order":"{order}"}}"#)
            })
            .collect();
        all.push(format!("[{}]", paths.join(",")));
    }
    all.join(",")
}

/// A value that filters compare keys and other properties with.
pub(super) fn constant(dice: &mut Dice, path: &str) -> Json {
    match path {
        ".k" | ".j" | ".m.k" => Keys::value(dice),
        ".id" => Json::from(super::item::id(dice).as_str()),
        ".n" => value::number(dice),
        ".s" => value::text(dice),
        _ => value::any(dice),
    }
}
