//! What is injected into a function call.
//!
//! Owns the injected time, random numbers, container policies and the cache of compiled regular expressions. Does not
//! own where they come from: see `evaluate`.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use model::{FullTextPolicy, GeospatialConfig, PropertyPath, VectorEmbeddingPolicy};

use super::date_time::UtcDateTime;
use super::string::{RegexPattern, compiled_bytes_max};
use crate::budget::{EvaluationBudget, value_bytes};
use crate::value::Value;

/// The largest number of cached patterns; beyond it the cache is cleared.
const PATTERNS_MAX: usize = 16;

/// What is injected into a call.
#[derive(Clone, Copy)]
pub struct CallContext<'call> {
    /// The time of the current row.
    pub now: UtcDateTime,
    /// The time at which the query started, the same for all rows.
    pub query_start: UtcDateTime,
    /// Returns the next random number, at least 0 and below 1.
    pub random: &'call dyn Fn() -> f64,
    /// Whether coordinates are on the earth or on a plane.
    pub geospatial: GeospatialConfig,
    /// The container's vector policy.
    pub vector_embeddings: &'call VectorEmbeddingPolicy,
    /// The container's full-text policy.
    pub full_text: &'call FullTextPolicy,
    /// For each argument, its path if it is a property of the item.
    pub argument_paths: &'call [Option<PropertyPath>],
    /// The patterns compiled by earlier calls.
    pub patterns: &'call PatternCache,
    /// What the call may consume. A function asks before it builds a value and before work that is not linear in the
    /// lengths of its arguments; the call fails if it is refused.
    pub budget: &'call EvaluationBudget,
}

impl CallContext<'_> {
    /// Counts a value that becomes part of a result. It is shared, but counts in full: see `value_bytes`.
    pub(super) fn count_element(&self, element: &Value) -> Option<()> {
        self.budget.build(value_bytes(element))
    }

    /// The path of an argument, if it is a property of the item.
    pub(super) fn argument_path(&self, index: usize) -> Option<&PropertyPath> {
        self.argument_paths.get(index).and_then(Option::as_ref)
    }
}

impl fmt::Debug for CallContext<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CallContext")
            .field("now", &self.now)
            .field("query_start", &self.query_start)
            .field("geospatial", &self.geospatial)
            .field("argument_paths", &self.argument_paths)
            .finish_non_exhaustive()
    }
}

/// A pattern and its modifiers.
type PatternName = (String, String);

/// Compiled regular expressions, so that a constant pattern is compiled once per query instead of once per row.
#[derive(Debug, Default)]
pub struct PatternCache {
    patterns: Mutex<HashMap<PatternName, Option<Arc<RegexPattern>>>>,
}

impl PatternCache {
    /// An empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The pattern with these modifiers; `None` if it is invalid, which is cached as well, or if the budget refuses it.
    pub(super) fn get(
        &self,
        pattern: &str,
        modifiers: &str,
        budget: &EvaluationBudget,
    ) -> Option<Arc<RegexPattern>> {
        // A poisoned lock only costs the cache, not the result.
        let Ok(mut patterns) = self.patterns.lock() else {
            return RegexPattern::new(pattern, modifiers, budget)?.map(Arc::new);
        };
        let name = (pattern.to_owned(), modifiers.to_owned());
        if let Some(known) = patterns.get(&name) {
            return known.clone();
        }
        // A query whose pattern differs from row to row must not collect patterns without end. Constant patterns, the
        // usual case, never reach the limit.
        if patterns.len() >= PATTERNS_MAX {
            patterns.clear();
        }
        // Under the lock: a query evaluates one row at a time, so nobody waits for it.
        // Counted for the current row only: the cache holds few patterns, whose size is bounded.
        budget.build(compiled_bytes_max(pattern))?;
        let compiled = RegexPattern::new(pattern, modifiers, budget)?.map(Arc::new);
        patterns.insert(name, compiled.clone());
        compiled
    }
}
