//! The component queries of ORDER BY RANK.
//!
//! Owns their texts: each is ordered by one score and returns all of them.

use super::super::build::{
    FILTER_PLACEHOLDER, and, array, call, column, first_alias, first_rows, identifier, items,
    literal, object, payload, resource_id, scalar, top, without_counts,
};
use super::super::distributed::PlanContext;
use super::super::feature::Feature;
use super::super::info::QueryInfo;
use super::super::order_by::nearest_first;
use super::info::ComponentRows;
use crate::ast::{
    BinaryOperator, Literal, OrderBy, OrderDirection, OrderItem, QueryTree, Scalar, ScalarKind,
    Selection, SortOrder, Span,
};
use crate::bind::{BoundQuery, Expression};
use crate::printer::{print, print_scalar};

/// The substitutes for a missing score: worse than every real one. They have six digits on the wire, unlike numbers of
/// users.
const BEYOND: [&str; 2] = ["-1.79769e+308", "1.79769e+308"];

/// A score.
#[derive(Clone, Debug)]
pub(super) struct ScoreComponent {
    /// Its arguments.
    pub(super) arguments: Vec<Scalar>,
    /// The bound score.
    formula: Expression,
    /// Whether it is FullTextScore rather than VectorDistance.
    pub(super) is_full_text: bool,
    /// Its index among the full-text scores.
    pub(super) text_number: usize,
    /// Whether its weight is negative.
    pub(super) is_reversed: bool,
}

impl ScoreComponent {
    pub(super) fn new(score: &Scalar, formula: &Expression) -> Option<Self> {
        let ScalarKind::Call { function, arguments } = &score.kind else {
            return None;
        };
        let is_full_text = function.text.eq_ignore_ascii_case("FullTextScore");
        Some(Self {
            arguments: if is_full_text { with_single_terms(arguments) } else { arguments.clone() },
            formula: formula.clone(),
            is_full_text,
            text_number: 0,
            is_reversed: false,
        })
    }

    /// The call that computes the score in a partition. The client fills in the statistics of the whole container.
    fn call(&self) -> Scalar {
        if !self.is_full_text {
            return call("_VectorScore", self.arguments.clone());
        }
        let mut arguments = self.arguments.iter().cloned();
        let path = arguments.next();
        let terms = array(arguments.collect());
        let number = self.text_number;
        // The client replaces these names by numbers as text. They are not valid syntax before that.
        let placeholder =
            |name: &str| identifier(&format!("{{documentdb-formattablehybridsearchquery-{name}}}"));
        let placeholders = [
            placeholder("totaldocumentcount"),
            placeholder(&format!("totalwordcount-{number}")),
            placeholder(&format!("hitcountsarray-{number}")),
        ];
        call("_FullTextScore", path.into_iter().chain([terms]).chain(placeholders).collect())
    }

    fn order(&self, context: &PlanContext<'_>) -> SortOrder {
        let natural = if self.is_full_text {
            SortOrder::Descending
        } else {
            nearest_first(&self.formula, context.vectors)
        };
        match (natural, self.is_reversed) {
            (order, false) => order,
            (SortOrder::Ascending, true) => SortOrder::Descending,
            (SortOrder::Descending, true) => SortOrder::Ascending,
        }
    }

    /// The score, or the worst one if it is undefined.
    fn total(&self, context: &PlanContext<'_>) -> Scalar {
        let [least, greatest] = BEYOND;
        let worst = match (self.order(context), self.is_full_text) {
            // Full-text scores are never negative.
            (SortOrder::Descending, true) => literal(Literal::Integer(-1)),
            (SortOrder::Descending, false) => identifier(least),
            (SortOrder::Ascending, _) => identifier(greatest),
        };
        Scalar::coalesce(vec![self.call(), worst], Span::default())
    }

    /// The ORDER BY item for this score; the direction is written only where the score does not imply it.
    fn order_item(&self, context: &PlanContext<'_>) -> OrderItem {
        let direction = (self.is_full_text || self.is_reversed).then(|| {
            let order = self.order(context);
            let spelling = match order {
                SortOrder::Ascending => "ASC",
                SortOrder::Descending => "DESC",
            };
            OrderDirection { order, spelling: spelling.to_owned() }
        });
        OrderItem { expression: self.call(), direction }
    }
}

/// The path and the terms of FullTextScore. In an older syntax terms are an array; each has statistics of its own.
fn with_single_terms(arguments: &[Scalar]) -> Vec<Scalar> {
    let single = |(number, argument): (usize, &Scalar)| match &argument.kind {
        ScalarKind::Array(terms) if number > 0 => terms.clone(),
        _ => vec![argument.clone()],
    };
    arguments.iter().enumerate().flat_map(single).collect()
}

pub(super) fn components(
    tree: &QueryTree,
    bound: &BoundQuery,
    scores: &[ScoreComponent],
    rows: ComponentRows,
    context: &PlanContext<'_>,
) -> Vec<QueryInfo> {
    let skips = context.features.contains(Feature::HybridSearchSkipOrderByRewrite);
    let is_fused = scores.len() > 1;
    let component = |score| {
        let query = counted(tree, rows, score, context);
        match (skips, is_fused) {
            (true, true) => bare(query, tree, bound, scores, context),
            (true, false) => enveloped(query, tree, bound, score, &[], rows, context),
            (false, _) => enveloped(query, tree, bound, score, scores, rows, context),
        }
    };
    scores.iter().map(component).collect()
}

fn counted(
    tree: &QueryTree,
    rows: ComponentRows,
    score: &ScoreComponent,
    context: &PlanContext<'_>,
) -> QueryTree {
    let mut query = without_counts(tree);
    match rows {
        ComponentRows::All => {}
        ComponentRows::Top(count) => query.select.top = Some(top(count)),
        ComponentRows::Limit(count) => query.offset_limit = Some(first_rows(count)),
    }
    query.order_by = Some(OrderBy::Items(vec![score.order_item(context)], Span::default()));
    query
}

/// A component query in the envelope of ordered rows.
fn enveloped(
    mut query: QueryTree,
    tree: &QueryTree,
    bound: &BoundQuery,
    score: &ScoreComponent,
    shown: &[ScoreComponent],
    rows: ComponentRows,
    context: &PlanContext<'_>,
) -> QueryInfo {
    let scores = array(shown.iter().map(|score| score.total(context)).collect());
    let body = object([("payload", payload(tree, bound)), ("componentScores", scores)]);
    query.select.selection = Selection::List(vec![
        column(resource_id(first_alias(bound)), None),
        column(items([score.call()]), Some("orderByItems")),
        column(body, Some("payload")),
    ]);
    query.filter = Some(and(query.filter.take(), identifier(FILTER_PLACEHOLDER)));
    let mut info = QueryInfo::plain(false);
    match rows {
        ComponentRows::All => {}
        ComponentRows::Top(count) => info.top = Some(count),
        ComponentRows::Limit(count) => (info.offset, info.limit) = (Some(0), Some(count)),
    }
    info.order_by = vec![score.order(context)];
    info.order_by_expressions = vec![print_scalar(&score.call())];
    // No index is in the order of a score, so a client must have all rows of a component before it merges.
    info.has_non_streaming_order_by = true;
    info.rewritten_query = print(&query);
    info
}

/// A component query with plain columns. Scores where less is better are negated, so that more is better in all of
/// them.
fn bare(
    mut query: QueryTree,
    tree: &QueryTree,
    bound: &BoundQuery,
    scores: &[ScoreComponent],
    context: &PlanContext<'_>,
) -> QueryInfo {
    let shown = scores.iter().map(|score| match score.order(context) {
        SortOrder::Descending => score.total(context),
        SortOrder::Ascending => scalar(ScalarKind::Chain {
            first: Box::new(literal(Literal::Integer(-1))),
            rest: vec![(BinaryOperator::Multiply, score.total(context))],
        }),
    });
    query.select.selection = Selection::List(vec![
        column(resource_id(first_alias(bound)), None),
        column(payload(tree, bound), Some("payload")),
        column(array(shown.collect()), Some("componentScores")),
    ]);
    let mut info = QueryInfo::plain(false);
    info.rewritten_query = print(&query);
    info
}
