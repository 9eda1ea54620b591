//! The hybrid search info of a query plan document.
//!
//! Owns its members, the weights and the number of rows that each component returns.

use model::{Json, Object};

use super::super::distributed::PlanContext;
use super::super::info::{QueryInfo, number};
use super::super::order_by::number_json;
use super::component::{ScoreComponent, components};
use super::statistics;
use crate::ast::{OrderBy, QueryTree, Scalar, ScalarKind};
use crate::bind::{BoundOrderBy, BoundQuery};
use crate::evaluate::constant;

/// The smallest number of rows of a component: fusion needs more rows than are returned.
const COMPONENT_ROWS_MIN: u32 = 120;

/// How a client runs and fuses the queries of ORDER BY RANK.
#[derive(Clone, Debug, PartialEq)]
pub struct HybridInfo {
    /// The text that counts documents, words and hits in each partition.
    pub statistics_query: String,
    /// One query per score.
    pub components: Vec<QueryInfo>,
    /// The weight of each score; empty if all are equal.
    pub weights: Vec<f64>,
    /// How many rows are skipped.
    pub skip: Option<u32>,
    /// How many of the following rows are returned.
    pub take: Option<u32>,
    /// Whether a component needs the statistics.
    pub needs_statistics: bool,
}

/// How the rows of a component are limited.
#[derive(Clone, Copy, Debug)]
pub(super) enum ComponentRows {
    /// All of them.
    All,
    /// `TOP n`.
    Top(u32),
    /// `OFFSET 0 LIMIT n`.
    Limit(u32),
}

pub(in crate::plan::distribute) fn hybrid(
    tree: &QueryTree,
    bound: &BoundQuery,
    context: &PlanContext<'_>,
) -> HybridInfo {
    let scores = scores(tree, bound);
    let (skip, take) = match (bound.offset, bound.limit) {
        (offset @ Some(_), limit) => (offset, limit),
        _ => (None, bound.top),
    };
    // The service takes the greater number and then writes it in 32 bits; the plan must be byte for byte the same.
    let wanted = |take: u32| {
        let skip = skip.unwrap_or(0);
        let is_less = (u64::from(skip) + u64::from(take)) * 2 < u64::from(COMPONENT_ROWS_MIN);
        if is_less { COMPONENT_ROWS_MIN } else { skip.wrapping_add(take).wrapping_mul(2) }
    };
    let rows = match (take, skip) {
        (None, _) => ComponentRows::All,
        (Some(take), None) => ComponentRows::Top(wanted(take)),
        (Some(take), Some(_)) => ComponentRows::Limit(wanted(take)),
    };
    let texts: Vec<&ScoreComponent> =
        scores.list.iter().filter(|score| score.is_full_text).collect();
    HybridInfo {
        statistics_query: statistics::query(tree, &texts),
        needs_statistics: !texts.is_empty(),
        components: components(tree, bound, &scores.list, rows, context),
        // The sign is in the direction of the component already.
        weights: scores.weights.iter().map(|weight| weight.abs()).collect(),
        skip,
        take,
    }
}

impl HybridInfo {
    /// The wire form.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut members = Object::new();
        members.insert("globalStatisticsQuery", self.statistics_query.as_str());
        let components: Vec<Json> = self.components.iter().map(QueryInfo::to_json).collect();
        members.insert("componentQueryInfos", components);
        members.insert("componentWithoutPayloadQueryInfos", Vec::<Json>::new());
        members.insert("projectionQueryInfo", Json::Null);
        let weights: Vec<Json> = self.weights.iter().map(|weight| number_json(*weight)).collect();
        members.insert("componentWeights", weights);
        members.insert("skip", number(self.skip));
        members.insert("take", number(self.take));
        members.insert("requiresGlobalStatistics", self.needs_statistics);
        Json::Object(members)
    }
}

struct Scores {
    list: Vec<ScoreComponent>,
    weights: Vec<f64>,
}

/// The scores of a query and their weights. A negative weight reverses the order of its score.
fn scores(tree: &QueryTree, bound: &BoundQuery) -> Scores {
    let (Some(OrderBy::Rank(calls, _)), BoundOrderBy::Rank(formulas)) =
        (&tree.order_by, &bound.order_by)
    else {
        return Scores { list: Vec::new(), weights: Vec::new() };
    };
    let mut list = Vec::new();
    let mut weights = Vec::new();
    for (call, formula) in calls.iter().zip(formulas) {
        for (call, formula) in fused(call, formula) {
            match (&call.kind, constant(formula)) {
                (ScalarKind::Call { .. }, _) | (_, None) => {
                    list.extend(ScoreComponent::new(call, formula));
                }
                // A literal array or the value of a parameter.
                (_, Some(numbers)) => {
                    let numbers = numbers.as_array().into_iter().flatten();
                    weights.extend(numbers.map(|number| number.as_f64().unwrap_or(1.0)));
                }
            }
        }
    }
    let mut text = 0;
    for (index, score) in list.iter_mut().enumerate() {
        // Weights stand after the scores, so directions are known only when all arguments were read.
        score.is_reversed = weights.get(index).is_some_and(|weight| *weight < 0.0);
        if score.is_full_text {
            score.text_number = text;
            text += 1;
        }
    }
    Scores { list, weights }
}

/// The arguments of RRF, or the score itself.
fn fused<'query>(
    call: &'query Scalar,
    formula: &'query crate::bind::Expression,
) -> Vec<(&'query Scalar, &'query crate::bind::Expression)> {
    if let (
        ScalarKind::Call { function, arguments },
        crate::bind::Expression::Call { arguments: formulas, .. },
    ) = (&call.kind, formula)
        && function.text.eq_ignore_ascii_case("RRF")
    {
        return arguments.iter().zip(formulas).collect();
    }
    vec![(call, formula)]
}
