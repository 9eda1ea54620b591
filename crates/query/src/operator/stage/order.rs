//! ORDER BY.
//!
//! Owns the order of rows by their keys: any value compares with any other, and ties are resolved by the row's number,
//! so the sort is stable. It sorts whatever it gets; whether an index provides the rows in order already is the
//! engine's business.

use std::cmp::Ordering;

use model::{DistanceFunction, VectorEmbeddingPolicy};

use super::ranking::Ranking;
use super::sort::{SortCost, sort_within};
use crate::ast::SortOrder;
use crate::bind::{BoundOrderBy, BoundQuery, Expression, OrderKey};
use crate::budget::{BudgetError, EvaluationBudget, WorkBudget, value_bytes};
use crate::evaluate::{EvaluationError, EvaluationScope, Formula, Preparation};
use crate::value::{Value, total_order};

/// How one key is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyOrder {
    /// Smaller first.
    Ascending,
    /// Greater first: the exact reverse of ascending, so undefined comes last.
    Descending,
    /// Smaller first, but undefined last: the order of distances, where an item without a vector must not be the
    /// nearest.
    NearestFirst,
}

/// The ORDER BY stage of a query.
#[derive(Debug)]
pub(super) struct SortStage {
    keys: Vec<Formula>,
    directions: Vec<KeyOrder>,
    /// How keys become scores, for ORDER BY RANK.
    ranking: Option<Ranking>,
}

/// The rows kept so far.
#[derive(Debug, Default)]
pub(super) struct RowBuffer {
    rows: Vec<BufferedRow>,
    /// The number of the next row.
    next: u64,
    bytes: usize,
}

#[derive(Debug)]
struct BufferedRow {
    keys: Vec<Value>,
    number: u64,
    row: Value,
}

impl KeyOrder {
    /// Compares two keys.
    pub(super) fn compare(self, left: &Value, right: &Value) -> Ordering {
        match self {
            Self::Ascending => total_order(left, right),
            Self::Descending => total_order(right, left),
            Self::NearestFirst => {
                let lacks = |value: &Value| !value.is_defined();
                lacks(left).cmp(&lacks(right)).then_with(|| total_order(left, right))
            }
        }
    }
}

impl From<SortOrder> for KeyOrder {
    fn from(order: SortOrder) -> Self {
        match order {
            SortOrder::Ascending => Self::Ascending,
            SortOrder::Descending => Self::Descending,
        }
    }
}

impl SortStage {
    /// Prepares the order of a query; `None` if it has no ORDER BY.
    pub(super) fn prepare(query: &BoundQuery, preparation: &Preparation<'_>) -> Option<Self> {
        let (expressions, directions): (Vec<&Expression>, Vec<KeyOrder>) = match &query.order_by {
            BoundOrderBy::None => return None,
            BoundOrderBy::Keys(keys) => {
                keys.iter().map(|key| (&key.expression, key_direction(key, preparation))).unzip()
            }
            BoundOrderBy::Rank(scores) => {
                let (keys, ranking) = Ranking::prepare(scores, preparation);
                let directions = vec![ranking.direction()];
                return Some(Self { keys, directions, ranking: Some(ranking) });
            }
        };
        let keys = expressions.into_iter().map(|key| preparation.formula(key)).collect();
        Some(Self { keys, directions, ranking: None })
    }

    /// Keeps a row. If only the first `needed` rows are returned in the end, the others are dropped from time to time.
    pub(super) fn push(
        &self,
        buffer: &mut RowBuffer,
        row: Value,
        scope: &EvaluationScope<'_>,
        needed: Option<usize>,
    ) -> Result<(), EvaluationError> {
        /// How many rows beyond twice the needed number are kept before a sort pays off. Sorting only when the buffer
        /// has doubled makes the cost per row logarithmic.
        const SPARE_ROWS: usize = 64;
        let keys = Formula::evaluate_all(&self.keys, scope)?;
        let budget = scope.environment.budget;
        let is_full = |needed: usize| {
            !self.needs_all_rows()
                && buffer.rows.len() >= needed.saturating_mul(2).saturating_add(SPARE_ROWS)
        };
        let kept = needed.filter(|needed| is_full(*needed));
        if kept.is_some() {
            // Before the row is kept: a row that is refused here is pushed again.
            budget.work.spend(buffer.sort_cost().units(buffer.rows.len() as u64))?;
        }
        let memory = &budget.memory;
        let row = BufferedRow { keys, number: buffer.next, row };
        buffer.next += 1;
        let bytes = row.bytes();
        buffer.rows.push(row);
        buffer.bytes += bytes;
        // Returned at the end: the buffer is truncated even if the limit is exceeded.
        let outcome = memory.reserve(bytes);
        if let Some(needed) = kept {
            self.truncate(buffer, needed, budget);
        }
        Ok(outcome?)
    }

    /// Whether every row influences the scores of the others, so that none can be dropped early.
    pub(super) fn needs_all_rows(&self) -> bool {
        self.ranking.as_ref().is_some_and(Ranking::needs_all_rows)
    }

    /// Sorts the rows.
    pub(super) fn sorted(
        &self,
        mut buffer: RowBuffer,
        work: &WorkBudget,
    ) -> Result<Vec<Value>, BudgetError> {
        if let Some(ranking) = &self.ranking {
            let mut keys: Vec<&mut Vec<Value>> =
                buffer.rows.iter_mut().map(|row| &mut row.keys).collect();
            // Only now: a rank depends on all rows. Each row's keys are replaced by its one score.
            ranking.score(&mut keys, work)?;
        }
        let cost = buffer.sort_cost();
        let sorted = sort_within(buffer.rows, cost, work, |left, right| self.compare(left, right))?;
        Ok(sorted.into_iter().map(|kept| kept.row).collect())
    }

    /// Keeps the first rows. Its work is counted by the caller, because rows must not be lost in the middle of it.
    fn truncate(&self, buffer: &mut RowBuffer, needed: usize, budget: &EvaluationBudget) {
        let memory = &budget.memory;
        if needed < buffer.rows.len() {
            // Not sorted: it is enough to know which rows are the first.
            buffer.rows.select_nth_unstable_by(needed, |left, right| self.compare(left, right));
        }
        // Released as it was reserved, by the same measure; otherwise the limit would drift over many truncations.
        for row in buffer.rows.drain(needed.min(buffer.rows.len())..) {
            buffer.bytes -= row.bytes();
            memory.release(row.bytes());
        }
    }

    fn compare(&self, left: &BufferedRow, right: &BufferedRow) -> Ordering {
        let keys = left.keys.iter().zip(&right.keys).zip(&self.directions);
        let mut by_keys = keys.map(|((left, right), direction)| direction.compare(left, right));
        let decided = by_keys.find(|order| order.is_ne());
        // Ties by arrival, so that no two rows are equal and the same items always give the same order.
        decided.unwrap_or_else(|| left.number.cmp(&right.number))
    }
}

impl RowBuffer {
    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of bytes counted for the rows.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The units of sorting the rows.
    pub(super) fn sort_units(&self) -> u64 {
        self.sort_cost().units(self.rows.len() as u64)
    }

    /// An upper bound of the keys' size: rows are counted with their keys.
    fn sort_cost(&self) -> SortCost {
        let keys = self.rows.first().map_or(0, |row| row.keys.len() * size_of::<Value>());
        let bytes = self.bytes.checked_div(self.rows.len()).unwrap_or(0);
        SortCost::of(bytes.saturating_sub(size_of::<BufferedRow>() + keys + size_of::<Value>()))
    }
}

impl BufferedRow {
    fn bytes(&self) -> usize {
        size_of::<Self>()
            + value_bytes(&self.row)
            + self.keys.iter().map(value_bytes).sum::<usize>()
    }
}

/// The written direction; without one, a score is sorted best first and anything else ascending.
fn key_direction(key: &OrderKey, preparation: &Preparation<'_>) -> KeyOrder {
    match (key.order, &key.expression) {
        (Some(order), _) => order.into(),
        // A computed property that happens to be a call is an ordinary value.
        (None, call @ Expression::Call { .. }) if !key.is_computed => {
            score_direction(call, preparation)
        }
        (None, _) => KeyOrder::Ascending,
    }
}

/// The direction that sorts a score best first: a Euclidean distance is best when small, any other score when great.
pub(super) fn score_direction(score: &Expression, preparation: &Preparation<'_>) -> KeyOrder {
    let Expression::Call { function, arguments } = score else { return KeyOrder::Descending };
    let is_distance =
        ["VectorDistance", "_VectorScore"].iter().any(|name| function.eq_ignore_ascii_case(name));
    if is_distance && is_euclidean(arguments, preparation) {
        KeyOrder::NearestFirst
    } else {
        KeyOrder::Descending
    }
}

/// Whether a call measures the Euclidean distance, by its options or else by the vector policy of its property.
fn is_euclidean(arguments: &[Expression], preparation: &Preparation<'_>) -> bool {
    let option = arguments.get(3).and_then(|options| {
        let name = match preparation.formula(options) {
            Formula::Constant(options) => options.property("distanceFunction"),
            _ => return None,
        };
        name.as_str().map(str::to_ascii_lowercase)
    });
    match option {
        Some(name) => name == "euclidean",
        None => policy_is_euclidean(arguments, preparation, preparation.vector_embeddings),
    }
}

fn policy_is_euclidean(
    arguments: &[Expression],
    preparation: &Preparation<'_>,
    policy: &VectorEmbeddingPolicy,
) -> bool {
    arguments
        .iter()
        .take(2)
        .filter_map(|argument| preparation.slot_paths.path(argument))
        .find_map(|path| policy.embedding(&path))
        .is_some_and(|embedding| embedding.distance_function == DistanceFunction::Euclidean)
}
