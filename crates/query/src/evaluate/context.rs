//! What a query may know besides its items.
//!
//! Owns the injected time, random numbers, container policies, user-defined functions and the bound on held rows. Does
//! not own where they come from: the engine takes them from its environment and its catalog.

use std::fmt;
use std::sync::Arc;

use model::{FullTextPolicy, GeospatialConfig, VectorEmbeddingPolicy};

use crate::function::UtcDateTime;
use crate::value::Value;

/// Bytes of rows a query may hold for ordering, grouping and DISTINCT unless told otherwise.
const HELD_BYTES_MAX: usize = 256 << 20;

/// What is injected into a query.
#[derive(Clone)]
pub struct EvaluationContext {
    /// Gives the time; asked once per item.
    pub now: Arc<dyn Fn() -> UtcDateTime + Send + Sync>,
    /// The time the query began at: the same for all its rows.
    pub query_start: UtcDateTime,
    /// Gives the next random number, at least 0 and below 1.
    pub random: Arc<dyn Fn() -> f64 + Send + Sync>,
    /// The meaning of coordinates.
    pub geospatial: GeospatialConfig,
    /// The vectors of the container.
    pub vector_embeddings: Arc<VectorEmbeddingPolicy>,
    /// The texts of the container.
    pub full_text: Arc<FullTextPolicy>,
    /// The user-defined functions of the container.
    pub user_functions: Arc<dyn UserFunctions>,
    /// How many bytes of rows may be held at once.
    pub held_bytes_max: usize,
}

/// The user-defined functions of a container.
pub trait UserFunctions: Send + Sync {
    /// Calls a function; none when there is no function of this name. Names are case-sensitive.
    fn call(&self, name: &str, arguments: &[Value]) -> Option<Value>;
}

/// A container without user-defined functions.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoUserFunctions;

impl EvaluationContext {
    /// A context in which time stands still, randomness is the same number again and again, and the container has
    /// neither policies nor user-defined functions. Each field can then be set.
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
        }
    }
}

impl UserFunctions for NoUserFunctions {
    fn call(&self, _name: &str, _arguments: &[Value]) -> Option<Value> {
        None
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
