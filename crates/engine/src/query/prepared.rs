//! A query made ready: text to tree, tree to bound query, policies to plan.
//!
//! Owns the cache of parsed texts and what a run is given from outside. Does not own any stage: they are the crate
//! `query`'s. Binding depends on the parameters; without them it is done once, see `statement`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ::query::ast::Query;
use ::query::function::Moment;
use ::query::plan::access::{AccessPlan, Indexes, plan_access_of};
use ::query::plan::condition::{Condition, ItemPath, row_condition};
use ::query::plan::metrics::{IndexMetrics, index_metrics_of};
use ::query::plan::needed_paths;
use ::query::{
    BoundQuery, BuiltInFunctions, ComputedProperties, EvaluationContext, Parameters, QueryError,
    bind_with, parse,
};

use model::{IndexingMode, IndexingPolicy, TimestampMs};
use storage::{Read, Shard, StorageValue};

use super::part::Piece;
use super::refusal::bad_query;
use super::request::QueryLimits;
use crate::catalog::ContainerLive;
use crate::engine::Engine;
use crate::error::Result;
use crate::key_layout::{STATE, STATE_KEY};
use crate::outcome::Usage;
use crate::partition::PartitionState;

/// Texts kept at most.
pub(super) const TEXTS_MAX: usize = 256;
/// Longer texts are parsed again each time.
pub(super) const TEXT_BYTES_MAX: usize = 8 * 1024;

/// Parsed query texts, shared by all requests.
#[derive(Default)]
pub(crate) struct TextCache {
    trees: Mutex<HashMap<String, Arc<Query>>>,
}

impl TextCache {
    fn tree(&self, text: &str) -> std::result::Result<Arc<Query>, Vec<QueryError>> {
        if let Some(tree) = self.lock().get(text) {
            return Ok(Arc::clone(tree));
        }
        let tree = Arc::new(parse(text)?);
        if text.len() <= TEXT_BYTES_MAX {
            let mut trees = self.lock();
            // Full means that texts do not repeat; starting over costs as little as any other choice.
            if trees.len() >= TEXTS_MAX {
                trees.clear();
            }
            trees.insert(text.to_owned(), Arc::clone(&tree));
        }
        Ok(tree)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Query>>> {
        self.trees.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A bound query with what its filters say, which every part of its plan asks for.
pub(super) struct Filtered {
    pub(super) bound: BoundQuery,
    pub(super) condition: Condition,
}

impl Filtered {
    pub(super) fn new(bound: BoundQuery) -> Self {
        let condition = row_condition(&bound);
        Self { bound, condition }
    }
}

/// A query with its plan.
pub(super) struct Prepared {
    pub(super) query: Arc<Filtered>,
    pub(super) indexes: Arc<Indexes>,
    pub(super) access: AccessPlan,
    /// The values the query looks at, if they can be named.
    pub(super) needed: Option<Vec<ItemPath>>,
}

impl Prepared {
    pub(super) fn new(query: Arc<Filtered>, indexes: Arc<Indexes>) -> Result<Self> {
        let Filtered { bound, condition } = query.as_ref();
        let access = plan_access_of(bound, condition, &indexes);
        let access = access.map_err(|error| bad_query(vec![error]))?;
        let needed = needed_paths(bound);
        Ok(Self { query, indexes, access, needed })
    }

    pub(super) fn bound(&self) -> &BoundQuery {
        &self.query.bound
    }

    /// Which indexes the query uses or misses.
    pub(super) fn index_metrics(&self) -> IndexMetrics {
        index_metrics_of(&self.query.bound, &self.query.condition, &self.indexes)
    }
}

/// What all items of some physical partitions follow.
pub(super) struct Followed {
    pub(super) indexes: Arc<Indexes>,
    /// The states of the partitions, as they are stored.
    pub(super) states: Vec<(Shard, StorageValue)>,
    /// What they hold, for the bill.
    pub(super) held: Vec<(Shard, Usage)>,
}

/// The indexes that all items of some physical partitions follow, and what the partitions hold. While a rebuild goes
/// on, only what the old and the new policy have in common can be relied on.
pub(super) async fn common_indexes(
    view: &dyn Read,
    live: &ContainerLive,
    pieces: &[Piece],
) -> Result<Followed> {
    let newest = live.policy(live.generation).map(|compiled| Arc::clone(&compiled.indexes));
    let mut indexes =
        newest.unwrap_or_else(|| Arc::new(Indexes::new(&live.properties.indexing_policy)));
    let mut states = Vec::with_capacity(pieces.len());
    let mut held = Vec::with_capacity(pieces.len());
    let mut known = vec![live.generation];
    let mut shards: Vec<Shard> = pieces.iter().map(Piece::shard).collect();
    shards.sort_unstable();
    shards.dedup();
    for shard in shards {
        // Without a state, nothing was ever written there.
        let Some(stored) = view.get(shard, STATE, STATE_KEY).await? else { continue };
        let state = PartitionState::decode(&stored)?;
        states.push((shard, stored));
        held.push((shard, Usage { items: state.items, item_bytes: state.item_bytes }));
        let rebuilt = state.rebuild.map(|rebuild| rebuild.generation);
        for generation in rebuilt.into_iter().chain([state.index_generation]) {
            if !known.contains(&generation) {
                known.push(generation);
                // A policy that is forgotten was left behind after the snapshot: nothing is known of it.
                let policy = live.policy(generation).map(|compiled| &compiled.policy);
                let none = IndexingPolicy { mode: IndexingMode::None, ..IndexingPolicy::default() };
                indexes = Arc::new(indexes.as_ref().clone().and(policy.unwrap_or(&none)));
            }
        }
    }
    Ok(Followed { indexes, states, held })
}

/// Parses and binds a text.
pub(super) fn bind_text(
    engine: &Engine,
    computed: &ComputedProperties,
    text: &str,
    parameters: &Parameters,
) -> Result<(Arc<Query>, BoundQuery)> {
    let tree = engine.core.query_texts.tree(text).map_err(bad_query)?;
    let bound = bind_with(&tree, parameters, &BuiltInFunctions, computed);
    let bound = bound.map_err(bad_query)?;
    Ok((tree, bound))
}

/// What a run is given: time, randomness, the container's policies and its bound on memory.
pub(super) fn context(
    engine: &Engine,
    live: &ContainerLive,
    limits: &QueryLimits,
) -> EvaluationContext {
    let shared = live.evaluation.get_or_init(|| shared_context(engine, live));
    EvaluationContext {
        query_start: moment(engine.now()),
        held_bytes_max: limits.held_bytes_max,
        ..shared.clone()
    }
}

/// What all queries of a container are given.
fn shared_context(engine: &Engine, live: &ContainerLive) -> EvaluationContext {
    let (clock, random) = (engine.core.environment.clone(), engine.core.environment.clone());
    let properties = &live.properties;
    EvaluationContext {
        now: Arc::new(move || moment(clock.now())),
        // The upper 53 bits make every double from 0 to below 1 equally likely.
        random: Arc::new(move || (random.random() >> 11) as f64 / (1_u64 << 53) as f64),
        geospatial: properties.geospatial_config,
        vector_embeddings: Arc::new(properties.vector_embedding_policy.clone().unwrap_or_default()),
        full_text: Arc::new(properties.full_text_policy.clone().unwrap_or_default()),
        ..EvaluationContext::at(moment(engine.now()))
    }
}

/// A clock beyond the years that the language knows stands still at the last of them.
pub(crate) fn moment(time: TimestampMs) -> Moment {
    let milliseconds = i64::try_from(time.0).unwrap_or(i64::MAX);
    let known = Moment::from_milliseconds(milliseconds);
    known.or_else(|| Moment::from_milliseconds(0)).expect("1970 is a year the language knows")
}
