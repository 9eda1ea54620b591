//! Which properties of an item a query reads.
//!
//! Owns the traversal of a bound query that finds them, so that only these properties of a large item are converted,
//! from a parsed tree or from stored text.

use model::{Json, ParseError};

use crate::bind::{
    BoundOrderBy, BoundQuery, BoundSource, Expression, Grouping, Input, OutputProjection, PathStep,
};
use crate::value::Value;

/// The properties of an item that must be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RequiredProperties {
    /// All: the query uses the whole item.
    All,
    /// These properties.
    Properties(Vec<String>),
}

impl RequiredProperties {
    /// The properties that a query reads. In a query over a query, the inner one reads the items.
    pub(super) fn for_query(query: &BoundQuery) -> Self {
        let Some(first) = query.sources.first() else { return Self::none() };
        match &first.root {
            // The outer query sees only rows of the inner one.
            Input::Query(inner) => Self::for_query(inner),
            Input::Slot(_) => Self::none(),
            Input::Container => match first.path.first() {
                Some(step) => {
                    let mut needed = Self::none();
                    needed.step(step);
                    needed
                }
                None => {
                    let mut needed = Self::none();
                    needed.query(query, first.slot);
                    needed
                }
            },
        }
    }

    /// Converts the required properties of a parsed item.
    pub(super) fn extract_from_json(&self, item: &Json) -> Value {
        match (self, item) {
            (Self::Properties(names), Json::Object(object)) => {
                let properties = object.iter().filter(|(name, _)| has(names, name.as_bytes()));
                Value::object(properties.map(|(name, value)| (name, Value::from(value))))
            }
            _ => Value::from(item),
        }
    }

    /// Parses the required properties of a stored item; the others are skipped.
    pub(super) fn extract_from_text(&self, text: &[u8]) -> Result<Value, ParseError> {
        let item = match self {
            Self::All => Json::parse(text)?,
            // `COUNT(1)` needs no property: the text is not even looked at.
            Self::Properties(names) if names.is_empty() => return Ok(Value::object::<&str>([])),
            Self::Properties(names) => Json::parse_properties(text, |name| has(names, name))?,
        };
        Ok(Value::from(&item))
    }

    /// Whether these are more properties than `other`.
    pub(super) fn exceeds(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All, Self::All) => false,
            (Self::All, Self::Properties(_)) => true,
            (Self::Properties(_), Self::All) => false,
            (Self::Properties(more), Self::Properties(less)) => more.len() > less.len(),
        }
    }

    /// Nothing.
    pub(super) fn none() -> Self {
        Self::Properties(Vec::new())
    }

    fn step(&mut self, step: &PathStep) {
        // An item is an object: an index into it leads nowhere.
        if let (Self::Properties(properties), PathStep::Property(name)) = (self, step)
            && !properties.contains(name)
        {
            properties.push(name.clone());
        }
    }

    /// Adds the property that a path from the item starts with.
    fn path(&mut self, steps: &[PathStep]) {
        match steps.first() {
            Some(step) => self.step(step),
            // The item itself is used.
            None => *self = Self::All,
        }
    }

    /// Adds what a query reads of the item in a slot.
    fn query(&mut self, query: &BoundQuery, slot: usize) {
        for source in &query.sources {
            self.source(source, slot);
        }
        if let Some(filter) = &query.filter {
            self.expression(filter, slot);
        }
        if let Grouping::By(keys) = &query.grouping {
            self.expressions(keys, slot);
        }
        for aggregate in &query.aggregates {
            self.expression(&aggregate.argument, slot);
        }
        match &query.output.projection {
            OutputProjection::Input(input) => self.expression(&Expression::Input(*input), slot),
            OutputProjection::Value(expression) => self.expression(expression, slot),
            OutputProjection::Object(properties) => {
                for property in properties {
                    self.expression(&property.expression, slot);
                }
            }
        }
        match &query.order_by {
            BoundOrderBy::None => {}
            BoundOrderBy::Keys(keys) => {
                for key in keys {
                    self.expression(&key.expression, slot);
                }
            }
            BoundOrderBy::Rank(scores) => self.expressions(scores, slot),
        }
    }

    fn source(&mut self, source: &BoundSource, slot: usize) {
        match &source.root {
            // Only the first input of the outermost query reads the container, and `for_query` has handled it.
            Input::Container => {}
            Input::Slot(root) if *root == slot => self.path(&source.path),
            Input::Slot(_) => {}
            Input::Query(query) => self.query(query, slot),
        }
    }

    fn expressions(&mut self, expressions: &[Expression], slot: usize) {
        for expression in expressions {
            self.expression(expression, slot);
        }
    }

    /// Adds what an expression reads of the item in a slot.
    pub(super) fn expression(&mut self, expression: &Expression, slot: usize) {
        match expression {
            Expression::Input(input) if *input == slot => *self = Self::All,
            Expression::Member { target, steps } if **target == Expression::Input(slot) => {
                self.path(steps);
            }
            Expression::Subquery { query, .. } => self.query(query, slot),
            _ => expression.for_each_child(&mut |part| self.expression(part, slot)),
        }
    }
}

fn has(names: &[String], name: &[u8]) -> bool {
    names.iter().any(|known| known.as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::{BuiltInFunctions, Parameters};

    fn needed(text: &str) -> Option<Vec<String>> {
        let tree = crate::parse(text).unwrap();
        let bound = crate::bind(&tree, &Parameters::new(), &BuiltInFunctions).unwrap();
        match RequiredProperties::for_query(&bound) {
            RequiredProperties::All => None,
            RequiredProperties::Properties(mut properties) => {
                properties.sort();
                Some(properties)
            }
        }
    }

    #[test]
    fn paths_need_their_first_property() {
        let text = "SELECT c.a.b, UPPER(c.d) FROM c WHERE c.e[0] = 1 OR c[\"f\"] IN (c.g, 1)";
        assert_eq!(needed(text).unwrap(), ["a", "d", "e", "f", "g"]);
        let text = "SELECT c.k, SUM(c.n) FROM c GROUP BY c.k ORDER BY c.o";
        assert_eq!(needed(text).unwrap(), ["k", "n", "o"]);
        assert_eq!(needed("SELECT VALUE COUNT(1) FROM c").unwrap(), [""; 0]);
        assert_eq!(needed("SELECT VALUE x.b FROM c.a AS x").unwrap(), ["a"]);
        assert_eq!(needed("SELECT VALUE x FROM x IN c.l").unwrap(), ["l"]);
    }

    #[test]
    fn inputs_and_subqueries_need_what_they_name() {
        let text = "SELECT VALUE x.z FROM c JOIN x IN c.l WHERE EXISTS(SELECT VALUE y FROM y IN \
                    c.m WHERE y = c.n)";
        assert_eq!(needed(text).unwrap(), ["l", "m", "n"]);
        let text = "SELECT VALUE s.b FROM (SELECT c.a AS b FROM c WHERE c.d = 1) AS s";
        assert_eq!(needed(text).unwrap(), ["a", "d"]);
    }

    #[test]
    fn the_item_itself_needs_everything() {
        for text in [
            "SELECT * FROM c",
            "SELECT c FROM c",
            "SELECT VALUE [c] FROM c",
            "SELECT VALUE 1 FROM c WHERE c = null",
            "SELECT VALUE udf.f(c) FROM c",
            "SELECT VALUE (SELECT VALUE COUNT(1) FROM c) FROM c",
            "SELECT VALUE DOCUMENTID(c) FROM c",
        ] {
            assert_eq!(needed(text), None, "{text}");
        }
    }
}
