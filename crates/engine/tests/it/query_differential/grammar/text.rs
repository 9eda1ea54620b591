//! One query: its text, its parameters, and what the comparison must know of it.

use model::{CompositeIndex, Json};

use super::select;
use crate::dice::Dice;
use crate::query_differential::container;

/// A query to be run.
#[derive(Clone, Debug, Default)]
pub(in crate::query_differential) struct QueryText {
    pub(in crate::query_differential) text: String,
    /// A parameter without a value is undefined.
    pub(in crate::query_differential) parameters: Vec<(String, Option<Json>)>,
}

/// What a text is drawn from.
pub(super) struct Draw<'world> {
    pub(super) dice: &'world mut Dice,
    /// The paths of the partition key.
    pub(super) keys: &'world [String],
    pub(super) composites: &'world [CompositeIndex],
    parameters: Vec<(String, Option<Json>)>,
}

/// A random query for a container with these partition key paths and composite indexes.
pub(in crate::query_differential) fn query_text(
    dice: &mut Dice,
    keys: &[String],
    composites: &[CompositeIndex],
) -> QueryText {
    let mut draw = Draw { dice, keys, composites, parameters: Vec::new() };
    let text = select::query(&mut draw);
    QueryText { text, parameters: draw.parameters }
}

impl Draw<'_> {
    /// A constant to compare a path with, written or passed.
    pub(super) fn constant(&mut self, steps: &str) -> String {
        if self.dice.percent(2) {
            return (*self.dice.pick(&["undefined", "NaN", "Infinity", "-Infinity"])).to_owned();
        }
        let value = container::constant(self.dice, steps);
        self.passed(value)
    }

    /// A value as a literal or as a parameter.
    pub(super) fn passed(&mut self, value: Json) -> String {
        if !self.dice.percent(20) {
            return value.to_string();
        }
        let name = format!("@p{}", self.parameters.len());
        let value = (!self.dice.percent(3)).then_some(value);
        self.parameters.push((name.clone(), value));
        name
    }
}
