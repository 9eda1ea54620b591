//! What is injected into a query.
//!
//! Owns the injected time, random numbers, container policies, user-defined functions, the memory limit and the
//! governor of work. Does not own where they come from: the engine takes them from its environment and its catalog.

use std::fmt;
use std::sync::Arc;

use model::{FullTextPolicy, GeospatialConfig, VectorEmbeddingPolicy};

use super::EvaluationError;
use crate::budget::{WorkGovernor, WorkLimit};
use crate::function::UtcDateTime;
use crate::value::Value;

/// The default limit on the bytes of rows that a query keeps for ordering, grouping and DISTINCT.
const HELD_BYTES_MAX: usize = 256 << 20;

/// The default limit on the work of an evaluation, in units of about 100 ns.
const WORK_UNITS_MAX: u64 = 1_000_000_000;

/// What is injected into a query.
#[derive(Clone)]
pub struct EvaluationContext {
    /// Returns the current time; called once per item.
    pub now: Arc<dyn Fn() -> UtcDateTime + Send + Sync>,
    /// The time at which the query started, the same for all rows.
    pub query_start: UtcDateTime,
    /// Returns the next random number, at least 0 and below 1.
    pub random: Arc<dyn Fn() -> f64 + Send + Sync>,
    /// Whether coordinates are on the earth or on a plane.
    pub geospatial: GeospatialConfig,
    /// The container's vector policy.
    pub vector_embeddings: Arc<VectorEmbeddingPolicy>,
    /// The container's full-text policy.
    pub full_text: Arc<FullTextPolicy>,
    /// The user-defined functions of the container.
    pub user_functions: Arc<dyn UserFunctions>,
    /// The limit on the bytes of rows kept at once and of values built for one row.
    pub held_bytes_max: usize,
    /// Grants work and shared memory; all evaluations of one request share it.
    pub governor: Arc<dyn WorkGovernor>,
}

/// The user-defined functions of a container.
pub trait UserFunctions: Send + Sync {
    /// Calls a function. Names are case-sensitive.
    ///
    /// # Errors
    /// `UnknownUserFunction` if there is no function of this name, `UserFunctionFailed` if it throws.
    fn call(&self, name: &str, arguments: &[Value]) -> Result<Value, EvaluationError>;
}

/// A container without user-defined functions.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoUserFunctions;

impl EvaluationContext {
    /// A context with a fixed time and a constant instead of random numbers, for a container without policies and
    /// user-defined functions. Every field can be changed afterwards.
    #[must_use]
    pub fn starting_at(query_start: UtcDateTime) -> Self {
        Self {
            now: Arc::new(move || query_start),
            query_start,
            random: Arc::new(|| 0.5),
            geospatial: GeospatialConfig::default(),
            vector_embeddings: Arc::default(),
            full_text: Arc::default(),
            user_functions: Arc::new(NoUserFunctions),
            held_bytes_max: HELD_BYTES_MAX,
            governor: Arc::new(WorkLimit::new(WORK_UNITS_MAX)),
        }
    }
}

impl UserFunctions for NoUserFunctions {
    fn call(&self, name: &str, _arguments: &[Value]) -> Result<Value, EvaluationError> {
        Err(EvaluationError::UnknownUserFunction(name.to_owned()))
    }
}

impl fmt::Debug for EvaluationContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EvaluationContext")
            .field("query_start", &self.query_start)
            .field("geospatial", &self.geospatial)
            .field("vector_embeddings", &self.vector_embeddings)
            .field("full_text", &self.full_text)
            .field("held_bytes_max", &self.held_bytes_max)
            .finish_non_exhaustive()
    }
}
