//! What an item must pass before it is read whole.
//!
//! Owns the parts of a filter that look only at the item and cannot fail: they are asked of the few properties they
//! need, so that an item which passes none of the rows on is never parsed. Does not replace the filter: who passes here
//! is asked again with the whole row.

use super::needed::Needed;
use crate::bind::{BoundQuery, Expression, Input};
use crate::evaluate::{Environment, EvaluationError, Formula, Preparation, Scope, conjuncts};

/// Functions that give another answer when they are asked again.
const FICKLE_FUNCTIONS: [&str; 1] = ["RAND"];

/// Conditions on an item, all of which must be true.
#[derive(Debug)]
pub(super) struct Sieve {
    needed: Needed,
    conditions: Vec<Formula>,
}

impl Sieve {
    /// The sieve of a query that needs more of an item than its filter does; none when it would save nothing.
    pub(super) fn of(
        query: &BoundQuery,
        needed: &Needed,
        preparation: &Preparation<'_>,
    ) -> Option<Self> {
        let source = query.sources.first()?;
        match &source.root {
            Input::Query(inner) => return Self::of(inner, needed, preparation),
            Input::Container if source.path.is_empty() && !source.iterates => {}
            Input::Container | Input::Slot(_) => return None,
        }
        let mut preparation = preparation.clone();
        preparation.origins.push(source);
        let mut parts = conjuncts(query.filter.as_ref()?);
        parts.retain(|part| is_safe(part, source.slot));
        let mut sieve = Self { needed: Needed::none(), conditions: Vec::new() };
        for part in &parts {
            sieve.needed.expression(part, source.slot);
            sieve.conditions.push(preparation.formula(part));
        }
        (!parts.is_empty() && needed.exceeds(&sieve.needed)).then_some(sieve)
    }

    /// Whether a stored item may have a row.
    pub(super) fn passes(
        &self,
        text: &[u8],
        environment: &Environment<'_>,
    ) -> Result<bool, EvaluationError> {
        let item = [self.needed.of_text(text)?];
        let scope = Scope::row(environment, &item);
        for condition in &self.conditions {
            if condition.evaluate(&scope)?.as_bool() != Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether an expression looks only at the item, cannot fail, and gives the same answer each time.
fn is_safe(expression: &Expression, slot: usize) -> bool {
    let mut is_safe_itself = match expression {
        Expression::Input(input) => *input == slot,
        Expression::Subquery { .. } | Expression::UdfCall { .. } => false,
        Expression::Call { function, .. } => !FICKLE_FUNCTIONS.contains(function),
        _ => true,
    };
    expression.each_part(&mut |part| is_safe_itself = is_safe_itself && is_safe(part, slot));
    is_safe_itself
}
