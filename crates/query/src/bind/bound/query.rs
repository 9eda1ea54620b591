//! Bound queries.
//!
//! Owns the form of a query once all names are resolved: inputs, filter, groups, output, order and row counts.

use super::{Expression, PathStep};
use crate::ast::SortOrder;

/// A query ready to be planned and run.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundQuery {
    /// The inputs in order; each fills the next slot, starting after those of the queries around this one.
    pub sources: Vec<BoundSource>,
    /// The condition of WHERE.
    pub filter: Option<Expression>,
    /// Whether and how rows are grouped.
    pub grouping: Grouping,
    /// The aggregates to compute for each group.
    pub aggregates: Vec<AggregateCall>,
    /// What each row, or each group, becomes.
    pub output: Output,
    /// The order of the rows.
    pub order_by: BoundOrderBy,
    /// The largest number of rows.
    pub top: Option<u32>,
    /// How many rows are skipped.
    pub offset: Option<u32>,
    /// How many of the following rows are returned.
    pub limit: Option<u32>,
    /// The user-defined functions that the whole text calls, one entry per call; filled only for the outermost query.
    pub user_functions: Vec<String>,
}

impl BoundQuery {
    /// Whether rows are grouped.
    #[must_use]
    pub fn is_aggregate(&self) -> bool {
        self.grouping != Grouping::None
    }

    /// Whether the query could return more than one row for some item, whatever its filter: it iterates something and
    /// does not make one group of it.
    pub(crate) fn can_return_several_rows(&self) -> bool {
        let is_several = |source: &BoundSource| {
            source.iterates
                || match &source.root {
                    Input::Container => true,
                    Input::Slot(_) => false,
                    Input::Query(query) => query.can_return_several_rows(),
                }
        };
        self.grouping != Grouping::Whole && self.sources.iter().any(is_several)
    }

    /// The names of the output's properties; empty when the output is a bare value.
    pub fn property_names(&self) -> impl Iterator<Item = &str> {
        let properties = match &self.output.projection {
            OutputProjection::Object(properties) => properties.as_slice(),
            OutputProjection::Input(_) | OutputProjection::Value(_) => &[],
        };
        properties.iter().map(|property| property.name.as_str())
    }
}

/// One input.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundSource {
    /// The name expressions use for it, if any.
    pub alias: Option<String>,
    /// The slot it fills.
    pub slot: usize,
    /// Where its path starts.
    pub root: Input,
    /// The path from there.
    pub path: Vec<PathStep>,
    /// Whether each element of the array at the path is a row; otherwise the value itself is the only row.
    pub iterates: bool,
}

/// Where the path of an input starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// At each item of the container.
    Container,
    /// At the value of an earlier slot.
    Slot(usize),
    /// At each row of a query.
    Query(Box<BoundQuery>),
}

/// Whether and how rows are grouped.
#[derive(Clone, Debug, PartialEq)]
pub enum Grouping {
    /// Rows are not grouped.
    None,
    /// All rows are one group, which exists even without rows.
    Whole,
    /// One group for each combination of values.
    By(Vec<Expression>),
}

/// One aggregate of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateCall {
    /// The canonical name of its function.
    pub function: &'static str,
    /// Its argument, evaluated for each row.
    pub argument: Expression,
}

/// The output of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Whether duplicate rows are removed.
    pub distinct: bool,
    /// The value of a row or group.
    pub projection: OutputProjection,
}

/// The value of a row or group.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputProjection {
    /// `SELECT *`: the value of a slot.
    Input(usize),
    /// `SELECT VALUE`: any value.
    Value(Expression),
    /// An object.
    Object(Vec<OutputProperty>),
}

/// One property of an output object.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputProperty {
    /// Its name: given, inferred from a path, or numbered (`$1`).
    pub name: String,
    /// Its value.
    pub expression: Expression,
}

/// The order of the rows.
#[derive(Clone, Debug, PartialEq)]
pub enum BoundOrderBy {
    /// Unordered.
    None,
    /// By values, the first one first.
    Keys(Vec<OrderKey>),
    /// By scores, best first.
    Rank(Vec<Expression>),
}

/// One value to order by.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderKey {
    /// The value.
    pub expression: Expression,
    /// Its path inside an item, if it is one; a distance or score has none.
    pub path: Option<Vec<PathStep>>,
    /// Whether it is a computed property, which has no path.
    pub is_computed: bool,
    /// The direction, if written.
    pub order: Option<SortOrder>,
}
