//! One query: its text, its parameters, and what the comparison must know of it.

use model::{CompositeIndex, Json};

use super::select;
use crate::query::differential::container;
use crate::random::SeededRandom;

/// A query to be run.
#[derive(Clone, Debug, Default)]
pub(in crate::query::differential) struct QueryText {
    pub(in crate::query::differential) text: String,
    /// A parameter without a value is undefined.
    pub(in crate::query::differential) parameters: Vec<(String, Option<Json>)>,
}

/// What a text is drawn from.
pub(super) struct Draw<'world> {
    pub(super) random: &'world mut SeededRandom,
    /// The paths of the partition key.
    pub(super) keys: &'world [String],
    pub(super) composites: &'world [CompositeIndex],
    /// The items to be found.
    items: &'world [Json],
    /// Whether computed properties, places, vectors and texts are asked for too.
    pub(super) is_wide: bool,
    parameters: Vec<(String, Option<Json>)>,
}

/// What queries are drawn for.
pub(in crate::query::differential) struct Known<'world> {
    /// The paths of the partition key.
    pub(in crate::query::differential) keys: &'world [String],
    pub(in crate::query::differential) composites: &'world [CompositeIndex],
    pub(in crate::query::differential) items: &'world [Json],
    pub(in crate::query::differential) is_wide: bool,
}

/// A random query.
pub(in crate::query::differential) fn query_text(
    random: &mut SeededRandom,
    known: &Known<'_>,
) -> QueryText {
    drawn(random, known, select::query)
}

/// A random query whose rows are of one item each, and name it.
pub(in crate::query::differential) fn query_of_items(
    random: &mut SeededRandom,
    known: &Known<'_>,
) -> QueryText {
    drawn(random, known, select::of_items)
}

fn drawn(
    random: &mut SeededRandom,
    known: &Known<'_>,
    draw_text: fn(&mut Draw<'_>) -> String,
) -> QueryText {
    let Known { keys, composites, items, is_wide } = *known;
    let mut draw = Draw { random, keys, composites, items, is_wide, parameters: Vec::new() };
    let text = draw_text(&mut draw);
    QueryText { text, parameters: draw.parameters }
}

impl Draw<'_> {
    /// A constant to compare a path with, written or passed.
    pub(super) fn constant(&mut self, steps: &str) -> String {
        if self.random.percent(2) {
            return (*self.random.pick(&["undefined", "NaN", "Infinity", "-Infinity"])).to_owned();
        }
        let value = match self.stored(steps) {
            Some(value) if self.random.percent(50) => value,
            _ => container::constant(self.random, steps),
        };
        self.passed(value)
    }

    /// What some item has at a path.
    fn stored(&mut self, steps: &str) -> Option<Json> {
        if self.items.is_empty() || steps.is_empty() || steps.contains('[') {
            return None;
        }
        let item = self.random.pick(self.items);
        let mut names = steps.split('.').skip(1);
        names.try_fold(item, |value, name| value.get(name)).cloned()
    }

    /// A value as a literal or as a parameter.
    pub(super) fn passed(&mut self, value: Json) -> String {
        if !self.random.percent(20) {
            return value.to_string();
        }
        let name = format!("@p{}", self.parameters.len());
        let value = (!self.random.percent(3)).then_some(value);
        self.parameters.push((name.clone(), value));
        name
    }
}
