//! Evaluating a single expression.
//!
//! Owns the public way to evaluate an expression outside of a query. Does not own the forms of expressions: see
//! `evaluate`.

use super::pipeline::Pipeline;
use super::stage::NodeCount;
use crate::bind::Expression;
use crate::budget::EvaluationBudget;
use crate::evaluate::{
    EvaluationContext, EvaluationEnvironment, EvaluationError, EvaluationScope, Formula,
    Preparation, SlotPaths,
};
use crate::function::PatternCache;
use crate::value::Value;

/// An expression ready to be evaluated over many rows, outside of any query.
///
/// ```
/// use planisphere_query::bind::{Expression, PathStep};
/// use planisphere_query::function::UtcDateTime;
/// use planisphere_query::value::Value;
/// use planisphere_query::{EvaluationContext, PreparedExpression};
///
/// let age = Expression::Member {
///     target: Box::new(Expression::Input(0)),
///     steps: vec![PathStep::Property("age".into())],
/// };
/// let context = EvaluationContext::starting_at(UtcDateTime::from_milliseconds(0).unwrap());
/// let item = Value::object([("age", Value::from(7))]);
/// assert_eq!(PreparedExpression::new(&age).evaluate(&[item], &context), Ok(Value::from(7)));
/// ```
#[derive(Debug)]
pub struct PreparedExpression {
    formula: Formula,
    /// The units of the expression itself.
    units: u64,
    patterns: PatternCache,
}

impl PreparedExpression {
    /// Prepares an expression whose first slot is an item. An expression with subqueries must be evaluated with as many
    /// slots as it was bound with.
    #[must_use]
    pub fn new(expression: &Expression) -> Self {
        let vector_embeddings = model::VectorEmbeddingPolicy::default();
        let mut preparation = Preparation::new(&vector_embeddings, Pipeline::subquery);
        preparation.slot_paths = SlotPaths::item();
        let formula = preparation.formula(expression);
        let mut nodes = NodeCount::default();
        nodes.add(expression);
        Self { formula, units: nodes.units() + 1, patterns: PatternCache::new() }
    }

    /// Evaluates the expression over a row of slots.
    ///
    /// # Errors
    /// If a subquery or a user-defined function fails, or the budget of the context is spent.
    pub fn evaluate(
        &self,
        slots: &[Value],
        context: &EvaluationContext,
    ) -> Result<Value, EvaluationError> {
        let budget = EvaluationBudget::new(context.held_bytes_max, &context.governor);
        budget.work.spend(self.units)?;
        let environment = EvaluationEnvironment {
            context,
            patterns: &self.patterns,
            budget: &budget,
            now: (context.now)(),
        };
        self.formula.evaluate(&EvaluationScope::row(&environment, slots))
    }
}
