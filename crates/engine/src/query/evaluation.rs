//! The context in which queries are evaluated: time, randomness, container policies and the memory limit.

use std::sync::Arc;

use ::query::function::UtcDateTime;
use ::query::{EvaluationContext, UserFunctions, WorkGovernor};
use model::TimestampMs;

use super::request::QueryLimits;
use super::source::PageReader;
use crate::container::CompiledProperties;
use crate::engine::Engine;
use crate::work::RequestWork;

/// The context of one request.
pub(super) fn evaluation_context(
    engine: &Engine,
    reader: &PageReader,
    limits: &QueryLimits,
    work: &Arc<RequestWork>,
) -> EvaluationContext {
    let compiled = reader.compiled.as_ref();
    // Built once per state of a container: the policies behind it are cloned for the first query only.
    let shared = compiled.evaluation.get_or_init(|| container_context(engine, compiled));
    EvaluationContext {
        query_start: to_query_time(engine.now()),
        held_bytes_max: limits.held_bytes_max,
        governor: Arc::clone(work) as Arc<dyn WorkGovernor>,
        user_functions: match &reader.functions {
            Some(functions) => Arc::clone(functions) as Arc<dyn UserFunctions>,
            None => Arc::clone(&shared.user_functions),
        },
        ..shared.clone()
    }
}

/// The part of the context that all queries of a container share.
fn container_context(engine: &Engine, compiled: &CompiledProperties) -> EvaluationContext {
    let (clock, random) = (engine.core.environment.clone(), engine.core.environment.clone());
    let properties = &compiled.properties;
    EvaluationContext {
        now: Arc::new(move || to_query_time(clock.now())),
        // The upper 53 bits make every double from 0 to below 1 equally likely.
        random: Arc::new(move || (random.random() >> 11) as f64 / (1_u64 << 53) as f64),
        geospatial: properties.geospatial_config,
        vector_embeddings: Arc::new(properties.vector_embedding_policy.clone().unwrap_or_default()),
        full_text: Arc::new(properties.full_text_policy.clone().unwrap_or_default()),
        ..EvaluationContext::starting_at(to_query_time(engine.now()))
    }
}

/// Converts a timestamp to the query language's time. A timestamp outside the years that the language supports becomes
/// 1970, because a query has no way to report it.
pub(crate) fn to_query_time(time: TimestampMs) -> UtcDateTime {
    let milliseconds = i64::try_from(time.0).unwrap_or(i64::MAX);
    let known = UtcDateTime::from_milliseconds(milliseconds);
    known.or_else(|| UtcDateTime::from_milliseconds(0)).expect("1970 is a year the language knows")
}
