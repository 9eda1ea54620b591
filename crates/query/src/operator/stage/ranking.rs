//! ORDER BY RANK: scores that depend on all rows.
//!
//! Owns how relevance is computed once all texts are known, from the same statistics that a client would collect for
//! the same query, and how the ranks of several scores are fused. Exact: every row is ranked by every score. Does not
//! own BM25 nor the order of single values.

use std::cmp::Ordering;

use super::order::{KeyOrder, score_direction};
use super::sort::{SortCost, sort_within};
use crate::bind::Expression;
use crate::budget::{BudgetError, WorkBudget, value_units};
use crate::evaluate::{Formula, Preparation};
use crate::function::full_text::{Corpus, matches};
use crate::value::Value;

/// The constant of reciprocal rank fusion: the larger it is, the less the first ranks differ. The service uses 60.
const RANK_OFFSET: f64 = 60.0;

/// How the keys of a row become its score.
#[derive(Debug)]
pub(super) struct Ranking {
    components: Vec<RankComponent>,
}

/// One score.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RankComponent {
    /// Whether its key holds word counts, from which the score is computed once all rows are known.
    is_full_text: bool,
    direction: KeyOrder,
    weight: f64,
}

impl Ranking {
    /// Prepares the scores of ORDER BY RANK, and the keys to keep for them.
    pub(super) fn prepare(
        scores: &[Expression],
        preparation: &Preparation<'_>,
    ) -> (Vec<Formula>, Self) {
        let mut keys = Vec::new();
        let mut components = Vec::new();
        for (score, weight) in scores.iter().flat_map(|score| fused(score, preparation)) {
            let Expression::Call { function, arguments } = score else { continue };
            let is_full_text = function.eq_ignore_ascii_case("FullTextScore");
            keys.push(if is_full_text {
                preparation.function_call(matches, arguments)
            } else {
                preparation.formula(score)
            });
            let natural = score_direction(score, preparation);
            // A negative weight ranks from the other end; the fusion uses its absolute value.
            let direction = if weight < 0.0 { reversed(natural) } else { natural };
            components.push(RankComponent { is_full_text, direction, weight: weight.abs() });
        }
        (keys, Self { components })
    }

    /// Whether no row can be dropped before all are known.
    pub(super) fn needs_all_rows(&self) -> bool {
        !matches!(self.components.as_slice(), [only] if !only.is_full_text)
    }

    /// The direction of the final score.
    pub(super) fn direction(&self) -> KeyOrder {
        match self.components.as_slice() {
            [only] => only.direction,
            _ => KeyOrder::Descending,
        }
    }

    /// Replaces the keys of each row by its final score.
    pub(super) fn score(
        &self,
        rows: &mut [&mut Vec<Value>],
        work: &WorkBudget,
    ) -> Result<(), BudgetError> {
        for (index, component) in self.components.iter().enumerate() {
            if component.is_full_text {
                score_relevance(rows, index, work)?;
            }
        }
        // A single score orders rows directly; ranks are only needed to fuse several.
        if self.components.len() == 1 {
            return Ok(());
        }
        let mut sums = vec![0.0; rows.len()];
        for (index, component) in self.components.iter().enumerate() {
            let ranks = ranks(rows, index, component.direction, work)?;
            for (sum, rank) in sums.iter_mut().zip(ranks) {
                *sum += component.weight / (RANK_OFFSET + rank);
            }
        }
        for (keys, sum) in rows.iter_mut().zip(sums) {
            // One key replaces all components, so that the sort afterwards is that of any query.
            **keys = vec![Value::Double(sum)];
        }
        Ok(())
    }
}

/// The scores that a call fuses, with their weights, or the call itself.
fn fused<'query>(
    score: &'query Expression,
    preparation: &Preparation<'_>,
) -> Vec<(&'query Expression, f64)> {
    match score {
        Expression::Call { function, arguments } if function.eq_ignore_ascii_case("RRF") => {
            let weights = match arguments.last().map(|last| (last, preparation.formula(last))) {
                Some((
                    Expression::Array(_) | Expression::Parameter(_),
                    Formula::Constant(weights),
                )) => weights,
                _ => Value::Undefined,
            };
            let weight = |index| weights.element(index).as_f64().unwrap_or(1.0);
            let scores = arguments.iter().enumerate();
            scores.map(|(index, score)| (score, weight(index))).collect()
        }
        _ => vec![(score, 1.0)],
    }
}

/// The reverse order; rows without a score are last in both.
fn reversed(direction: KeyOrder) -> KeyOrder {
    match direction {
        KeyOrder::Descending => KeyOrder::NearestFirst,
        KeyOrder::Ascending | KeyOrder::NearestFirst => KeyOrder::Descending,
    }
}

/// Replaces the word counts of each row by its relevance among all rows.
fn score_relevance(
    rows: &mut [&mut Vec<Value>],
    index: usize,
    work: &WorkBudget,
) -> Result<(), BudgetError> {
    /// How often the counts of a row are read: as numbers, for each total, for the score.
    const READS: u64 = 4;
    let mut counts: Vec<Option<Vec<f64>>> = Vec::with_capacity(rows.len());
    for keys in rows.iter() {
        let key = keys.get(index);
        work.spend(1 + READS * key.map_or(0, value_units))?;
        counts.push(key.and_then(word_counts));
    }
    let texts = || counts.iter().flatten();
    let words = |counts: &Vec<f64>| counts.first().copied().unwrap_or(0.0);
    // Items without a text count as documents, as in the statistics query of clients.
    let corpus = Corpus { documents: rows.len() as f64, words: texts().map(words).sum() };
    let terms = texts().map(|counts| counts.len().saturating_sub(1)).max().unwrap_or(0);
    let hits: Vec<f64> = (1..=terms)
        .map(|term| texts().filter(|counts| counts.get(term).is_some_and(|n| *n > 0.0)).count())
        .map(|count| count as f64)
        .collect();
    for (keys, counts) in rows.iter_mut().zip(&counts) {
        let relevance = counts.as_ref().map(|counts| {
            let occurrences = counts.iter().skip(1).copied();
            corpus.relevance(words(counts), occurrences.zip(hits.iter().copied()))
        });
        if let Some(key) = keys.get_mut(index) {
            *key = relevance.into();
        }
    }
    Ok(())
}

fn word_counts(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(Value::as_f64).collect()
}

/// The dense rank of each row by one score: it starts at 1, equal scores share a rank, and the next score has the next
/// rank.
fn ranks(
    rows: &[&mut Vec<Value>],
    index: usize,
    direction: KeyOrder,
    work: &WorkBudget,
) -> Result<Vec<f64>, BudgetError> {
    let key =
        |row: usize| rows.get(row).and_then(|keys| keys.get(index)).unwrap_or(&Value::Undefined);
    // Scores are numbers: their comparison does not depend on a size.
    let order = sort_within((0..rows.len()).collect(), SortCost::of(0), work, |left, right| {
        direction.compare(key(*left), key(*right))
    })?;
    let mut ranks = vec![1.0; rows.len()];
    let mut rank = 1.0;
    for (at, row) in order.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| order.get(before));
        if let Some(before) = before
            && direction.compare(key(*before), key(*row)) != Ordering::Equal
        {
            rank += 1.0;
        }
        if let Some(slot) = ranks.get_mut(*row) {
            *slot = rank;
        }
    }
    Ok(ranks)
}
