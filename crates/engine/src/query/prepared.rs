//! Prepared queries: bound once, shared by many requests.
//!
//! Only queries without parameters are shared: their meaning is fixed as long as their container is not replaced. The
//! plan depends on the indexes that a request finds; the latest one is kept.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ::query::Parameters;
use ::query::plan::access::Indexes;

use super::parse::{TEXT_BYTES_MAX, TEXTS_MAX, parse_and_bind};
use super::planned::{AnalyzedQuery, PlannedQuery};
use crate::container::CompiledProperties;
use crate::engine::Engine;
use crate::error::Result;

/// Number of containers for which one text is cached.
const CONTAINERS_MAX: usize = 8;

/// A query bound to a container, with its latest plan.
pub(crate) struct PreparedQuery {
    pub(super) query: Arc<AnalyzedQuery>,
    latest_plan: Mutex<Option<Arc<PlannedQuery>>>,
}

/// Prepared queries by text, shared by all requests.
#[derive(Default)]
pub(crate) struct PreparedQueryCache {
    by_text: Mutex<HashMap<String, VecDeque<PreparedQueryEntry>>>,
}

/// A prepared query with the container it is bound to.
struct PreparedQueryEntry {
    compiled: Weak<CompiledProperties>,
    query: Arc<PreparedQuery>,
}

impl PreparedQuery {
    /// Plans the query for some indexes, or returns the latest plan if it was made for them.
    pub(super) fn plan(&self, indexes: Arc<Indexes>) -> Result<Arc<PlannedQuery>> {
        let lock = || self.latest_plan.lock().unwrap_or_else(PoisonError::into_inner);
        // Compared by address: outside of a rebuild all requests share the `Arc` of the policy. During a rebuild a new
        // one is built for each request and never equal; planning again is then the price.
        if let Some(last) = lock().as_ref().filter(|last| Arc::ptr_eq(&last.indexes, &indexes)) {
            return Ok(Arc::clone(last));
        }
        let planned = Arc::new(PlannedQuery::new(Arc::clone(&self.query), indexes)?);
        *lock() = Some(Arc::clone(&planned));
        Ok(planned)
    }
}

impl Engine {
    /// Prepares a query text for a container.
    pub(super) fn prepare_query(
        &self,
        compiled: &Arc<CompiledProperties>,
        text: &str,
        parameters: &Parameters,
    ) -> Result<Arc<PreparedQuery>> {
        let cache = &self.core.prepared_queries;
        // Binding puts the values of parameters into the query, so one with parameters would be cached once per set of
        // values.
        let is_shared = parameters.iter().next().is_none() && text.len() <= TEXT_BYTES_MAX;
        if is_shared && let Some(prepared) = cache.get(compiled, text) {
            return Ok(prepared);
        }
        let (_, bound) = parse_and_bind(self, &compiled.computed, text, parameters)?;
        let query = Arc::new(AnalyzedQuery::new(bound));
        let prepared = Arc::new(PreparedQuery { query, latest_plan: Mutex::default() });
        if is_shared {
            cache.insert(compiled, text, &prepared);
        }
        Ok(prepared)
    }
}

impl PreparedQueryCache {
    fn get(&self, compiled: &Arc<CompiledProperties>, text: &str) -> Option<Arc<PreparedQuery>> {
        let by_text = self.lock();
        let entry = by_text.get(text)?.iter().find(|entry| entry.is_of(compiled))?;
        Some(Arc::clone(&entry.query))
    }

    fn insert(&self, compiled: &Arc<CompiledProperties>, text: &str, query: &Arc<PreparedQuery>) {
        let mut by_text = self.lock();
        // A full cache means that texts do not repeat, so no eviction policy would do better than starting over.
        if by_text.len() >= TEXTS_MAX && !by_text.contains_key(text) {
            by_text.clear();
        }
        let entries = by_text.entry(text.to_owned()).or_default();
        // Entries of deleted or replaced containers are dropped here, when somebody uses the text, and not by a sweep.
        entries.retain(|other| other.compiled.strong_count() > 0 && !other.is_of(compiled));
        if entries.len() >= CONTAINERS_MAX {
            entries.pop_front();
        }
        entries.push_back(PreparedQueryEntry {
            compiled: Arc::downgrade(compiled),
            query: Arc::clone(query),
        });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, VecDeque<PreparedQueryEntry>>> {
        self.by_text.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PreparedQueryEntry {
    /// Whether the query was bound to this state of a container. Comparing addresses is safe: the weak reference keeps
    /// the allocation, so its address is not reused.
    fn is_of(&self, compiled: &Arc<CompiledProperties>) -> bool {
        self.compiled.as_ptr() == Arc::as_ptr(compiled)
    }
}
