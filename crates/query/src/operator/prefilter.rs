//! Filtering items before they are fully parsed.
//!
//! Owns the conjuncts of a filter that depend only on the item and cannot fail. Most items are rejected because a text
//! is missing (see `required_text`), before anything is parsed. For the others, the conjuncts are evaluated over the
//! few properties that they need, so that an item that has no rows is never fully parsed. Does not replace the filter:
//! an item that passes is filtered again with the whole row.

use super::required_properties::RequiredProperties;
use super::required_text::RequiredText;
use super::stage::NodeCount;
use crate::bind::{BoundQuery, Expression, Input};
use crate::evaluate::{
    EvaluationEnvironment, EvaluationError, EvaluationScope, Formula, Preparation, conjuncts,
};

/// Functions whose result differs between two evaluations: the filter and the prefilter would disagree.
const NONDETERMINISTIC_FUNCTIONS: [&str; 1] = ["RAND"];

/// Conditions on an item that must all be true.
#[derive(Debug)]
pub(super) struct Prefilter {
    text: Option<RequiredText>,
    /// `None` if the query reads no more than its filter does: then evaluating it twice would save nothing.
    conditions: Option<ItemConditions>,
}

#[derive(Debug)]
struct ItemConditions {
    needed: RequiredProperties,
    formulas: Vec<Formula>,
    /// The units of the formulas themselves.
    units: u64,
}

impl Prefilter {
    /// The prefilter of a query; `None` if it would save nothing.
    pub(super) fn for_query(
        query: &BoundQuery,
        needed: &RequiredProperties,
        preparation: &Preparation<'_>,
    ) -> Option<Self> {
        let source = query.sources.first()?;
        match &source.root {
            // The innermost query reads the items; the filters of outer ones see its rows only.
            Input::Query(inner) => return Self::for_query(inner, needed, preparation),
            Input::Container if source.path.is_empty() && !source.iterates => {}
            Input::Container | Input::Slot(_) => return None,
        }
        let mut preparation = preparation.clone();
        preparation.slot_paths.push(source);
        // A conjunct that may fail is left to the filter: whether it runs must depend on the conjuncts before it.
        let mut parts = conjuncts(query.filter.as_ref()?);
        parts.retain(|part| is_safe(part, source.slot));
        let text = RequiredText::of_conjuncts(&parts, source.slot);
        let conditions = ItemConditions::new(&parts, source.slot, &preparation);
        let conditions = conditions.filter(|conditions| needed.exceeds(&conditions.needed));
        (text.is_some() || conditions.is_some()).then_some(Self { text, conditions })
    }

    /// Whether a stored item may have rows.
    pub(super) fn passes(
        &self,
        text: &[u8],
        environment: &EvaluationEnvironment<'_>,
    ) -> Result<bool, EvaluationError> {
        if self.text.as_ref().is_some_and(|required| !required.may_pass(text)) {
            return Ok(false);
        }
        self.conditions.as_ref().map_or(Ok(true), |conditions| conditions.pass(text, environment))
    }
}

impl ItemConditions {
    fn new(parts: &[Expression], slot: usize, preparation: &Preparation<'_>) -> Option<Self> {
        let (needed, formulas) = (RequiredProperties::none(), Vec::new());
        let mut conditions = Self { needed, formulas, units: 0 };
        let mut nodes = NodeCount::default();
        for part in parts {
            nodes.add(part);
            conditions.needed.expression(part, slot);
            conditions.formulas.push(preparation.formula(part));
        }
        conditions.units = nodes.units();
        (!parts.is_empty()).then_some(conditions)
    }

    fn pass(
        &self,
        text: &[u8],
        environment: &EvaluationEnvironment<'_>,
    ) -> Result<bool, EvaluationError> {
        let item = [self.needed.extract_from_text(text)?];
        let scope = EvaluationScope::row(environment, &item);
        environment.budget.work.spend(self.units)?;
        for formula in &self.formulas {
            if formula.evaluate(&scope)?.as_bool() != Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether an expression depends only on the item, cannot fail, and is deterministic.
fn is_safe(expression: &Expression, slot: usize) -> bool {
    let mut is_safe_itself = match expression {
        Expression::Input(input) => *input == slot,
        Expression::Subquery { .. } | Expression::UdfCall { .. } => false,
        Expression::Call { function, .. } => !NONDETERMINISTIC_FUNCTIONS.contains(function),
        _ => true,
    };
    expression.for_each_child(&mut |part| is_safe_itself = is_safe_itself && is_safe(part, slot));
    is_safe_itself
}
