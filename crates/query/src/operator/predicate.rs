//! A condition on one item.
//!
//! Owns the condition of a patch, `FROM c WHERE …`, and the filter of a query over whole items, evaluated for one item
//! at a time. Does not own filters of rows: see `stage::filter`.

use model::Json;

use super::pipeline::Pipeline;
use super::required_properties::RequiredProperties;
use super::stage::NodeCount;
use crate::bind::{BoundQuery, BuiltInFunctions, Input, Parameters, bind};
use crate::budget::EvaluationBudget;
use crate::error::QueryError;
use crate::evaluate::{
    EvaluationContext, EvaluationEnvironment, EvaluationError, EvaluationScope, Formula,
    Preparation,
};
use crate::function::PatternCache;
use crate::parser::parse_condition;

/// A condition on one item.
///
/// ```
/// use model::Json;
/// use planisphere_query::function::UtcDateTime;
/// use planisphere_query::{EvaluationContext, ItemPredicate};
///
/// let predicate = ItemPredicate::parse("from c where c.stock > 0 and not is_null(c.owner)").unwrap();
/// let context = EvaluationContext::starting_at(UtcDateTime::from_milliseconds(0).unwrap());
/// let item = Json::parse(br#"{"stock": 3, "owner": "Ann"}"#).unwrap();
/// assert_eq!(predicate.matches(&item, &context), Ok(true));
/// assert!(ItemPredicate::parse("where c.stock > 0").is_err());
/// ```
#[derive(Debug)]
pub struct ItemPredicate {
    condition: Option<Formula>,
    needed: RequiredProperties,
    /// The units of the condition itself.
    units: u64,
    patterns: PatternCache,
}

impl ItemPredicate {
    /// Parses the condition of a patch: FROM with the container and optionally an alias, then WHERE, and nothing after
    /// it.
    ///
    /// # Errors
    /// Every error, as for a query. Locations count from the start of the condition.
    pub fn parse(text: &str) -> Result<Self, Vec<QueryError>> {
        let tree = parse_condition(text)?;
        let query = bind(&tree, &Parameters::new(), &BuiltInFunctions)?;
        let refusal = "The condition must be FROM <alias> WHERE <condition> over the item itself.";
        Self::from_query(&query).ok_or_else(|| vec![QueryError::refusal(refusal)])
    }

    /// The filter of a query whose only input is the item itself; `None` for any other query.
    #[must_use]
    pub fn from_query(query: &BoundQuery) -> Option<Self> {
        let [source] = query.sources.as_slice() else { return None };
        let is_item = source.root == Input::Container && source.path.is_empty() && !source.iterates;
        if !is_item {
            return None;
        }
        let vector_embeddings = model::VectorEmbeddingPolicy::default();
        let mut preparation = Preparation::new(&vector_embeddings, Pipeline::subquery);
        preparation.slot_paths.push(source);
        let mut needed = RequiredProperties::none();
        let mut nodes = NodeCount::default();
        let condition = query.filter.as_ref().map(|filter| {
            // Only what the condition reads is parsed: a condition on one property of a large item stays cheap.
            needed.expression(filter, source.slot);
            nodes.add(filter);
            preparation.formula(filter)
        });
        let units = nodes.units() + 1;
        Some(Self { condition, needed, units, patterns: PatternCache::new() })
    }

    /// Whether the condition is true for an item.
    ///
    /// # Errors
    /// If a subquery or a user-defined function fails, or the budget of the context is spent.
    pub fn matches(
        &self,
        item: &Json,
        context: &EvaluationContext,
    ) -> Result<bool, EvaluationError> {
        let item = self.needed.extract_from_json(item);
        let Some(condition) = &self.condition else { return Ok(true) };
        let budget = EvaluationBudget::new(context.held_bytes_max, &context.governor);
        budget.work.spend(self.units)?;
        let (patterns, now) = (&self.patterns, (context.now)());
        let environment = EvaluationEnvironment { context, patterns, budget: &budget, now };
        let slots = [item];
        Ok(condition.evaluate(&EvaluationScope::row(&environment, &slots))?.as_bool() == Some(true))
    }
}
