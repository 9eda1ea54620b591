//! What a part of a query can name: aliases, and the paths below them.

use crate::random::SeededRandom;

/// Paths of an item, the frequent ones several times.
const ITEM_PATHS: [&str; 40] = [
    ".a",
    ".a",
    ".a",
    ".a",
    ".b",
    ".b",
    ".b",
    ".n",
    ".n",
    ".n",
    ".n",
    ".s",
    ".s",
    ".s",
    ".s",
    ".o.x",
    ".o.x",
    ".o.y",
    ".o",
    ".o.z.x",
    ".l",
    ".l",
    ".r",
    ".l[0]",
    ".l[1]",
    ".r[0].x",
    ".id",
    ".id",
    ".id",
    "._ts",
    "._etag",
    "._rid",
    "._self",
    ".missing",
    "[\"\"]",
    "[\"x y\"]",
    "[\"[]\"]",
    "[\"a/b\"]",
    "[\"value\"]",
    ".ttl",
];

/// Paths of computed properties, if the container has them.
const COMPUTED_PATHS: [&str; 8] =
    [".low", ".low", ".twice", ".twice", ".part", ".part.x", ".made.x", ".b"];

/// Paths of an element of a list, or of a value of any kind.
const VALUE_PATHS: [&str; 5] = ["", "", "", ".x", "[0]"];

/// Paths of an element of a list of objects.
const RECORD_PATHS: [&str; 8] = ["", ".x", ".x", ".x", ".y", ".y", ".l", ".l[0]"];

/// What an alias represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Item,
    Value,
    Record,
}

/// The aliases in reach, the nearest last.
#[derive(Clone, Debug)]
pub(super) struct Scope<'keys> {
    pub(super) aliases: Vec<(String, Kind)>,
    /// The paths of the partition key.
    pub(super) keys: &'keys [String],
    /// Whether items have computed properties.
    pub(super) is_wide: bool,
}

/// A path with its alias.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) alias: String,
    pub(super) steps: String,
}

impl Path {
    pub(super) fn text(&self) -> String {
        format!("{}{}", self.alias, self.steps)
    }
}

impl Scope<'_> {
    /// The same with one alias more.
    pub(super) fn with(&self, alias: &str, kind: Kind) -> Self {
        let mut scope = self.clone();
        scope.aliases.push((alias.to_owned(), kind));
        scope
    }

    /// An alias of a kind.
    pub(super) fn alias(&self, kind: Kind) -> Option<&str> {
        self.aliases.iter().find(|(_, known)| *known == kind).map(|(alias, _)| alias.as_str())
    }

    /// A path below an alias; the nearest is the likeliest.
    pub(super) fn path(&self, random: &mut SeededRandom) -> Path {
        let place = self.aliases.len() - 1;
        let place = if random.percent(30) { random.index(place + 1) } else { place };
        let (alias, kind) = &self.aliases[place];
        let steps = match kind {
            Kind::Item if self.is_wide && random.percent(15) => *random.pick(&COMPUTED_PATHS),
            Kind::Item if random.percent(10) => random.pick(self.keys).as_str(),
            Kind::Item => *random.pick(&ITEM_PATHS),
            Kind::Value => *random.pick(&VALUE_PATHS),
            Kind::Record => *random.pick(&RECORD_PATHS),
        };
        Path { alias: alias.clone(), steps: steps.to_owned() }
    }

    /// A path of the partition key, if an item is in reach.
    pub(super) fn key_path(&self, random: &mut SeededRandom) -> Option<Path> {
        let alias = self.alias(Kind::Item)?.to_owned();
        Some(Path { alias, steps: random.pick(self.keys).clone() })
    }
}
