//! Prepared queries: bound once, shared by many requests.
//!
//! The meaning of a text with its parameters is fixed as long as the container is not replaced. A bound query contains
//! the values of its parameters, because they decide which partitions and index terms it reads; so the parameters are
//! part of the key. The plan depends on the indexes that a request finds; the latest one is kept.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ::query::Parameters;
use ::query::plan::access::Indexes;
use ::query::plan::distribute::ordered_rows_text;
use model::value::text_hash;

use super::clock_cache::ClockCache;
use super::parse::{TEXT_BYTES_MAX, parse_and_bind};
use crate::container::CompiledProperties;
use crate::engine::Engine;
use crate::error::Result;
use crate::query::planned::{AnalyzedQuery, PlannedQuery};

/// Number of prepared queries in the cache.
const QUERIES_MAX: usize = 1024;
/// Number of parameterised queries that are remembered as seen once. A power of two, as it masks a hash.
const SEEN_MAX: usize = 1024;

/// A query bound to a container, with its latest plan.
pub(crate) struct PreparedQuery {
    pub(in crate::query) query: Arc<AnalyzedQuery>,
    /// Hash of the text without its filter, for the query that a client sends for the ordered rows of a partition.
    pub(in crate::query) ordered_text: Option<u128>,
    latest_plan: Mutex<Option<Arc<PlannedQuery>>>,
}

/// Prepared queries by text, parameters and container, shared by all requests.
pub(crate) struct PreparedQueryCache {
    state: Mutex<PreparedQueries>,
}

struct PreparedQueries {
    /// By the hash of text and parameters, and by the address of the container's compiled properties.
    entries: ClockCache<(u128, usize), PreparedQueryEntry>,
    /// Hashes of parameterised queries that were asked once, each at the place that its low bits give.
    seen_once: Vec<u128>,
}

/// A prepared query with the container it is bound to.
struct PreparedQueryEntry {
    /// Text and parameters, because two of them may have the same hash.
    identity: Box<str>,
    compiled: Weak<CompiledProperties>,
    query: Arc<PreparedQuery>,
}

impl PreparedQuery {
    /// Plans the query for some indexes, or returns the latest plan if it was made for them.
    pub(in crate::query) fn plan(&self, indexes: Arc<Indexes>) -> Result<Arc<PlannedQuery>> {
        // Compared by address: outside of a rebuild all requests share the `Arc` of the policy. During a rebuild a new
        // one is built for each request and never equal; planning again is then the price.
        let lock = || self.latest_plan.lock().unwrap_or_else(PoisonError::into_inner);
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
    pub(in crate::query) fn prepare_query(
        &self,
        compiled: &Arc<CompiledProperties>,
        text: &str,
        parameters: &Parameters,
    ) -> Result<Arc<PreparedQuery>> {
        let cache = &self.core.prepared_queries;
        let identity = identity(text, parameters);
        let is_shared = identity.len() <= TEXT_BYTES_MAX;
        if is_shared && let Some(prepared) = cache.get(compiled, &identity) {
            return Ok(prepared);
        }
        let (tree, bound) = parse_and_bind(self, &compiled.computed, text, parameters)?;
        let prepared = Arc::new(PreparedQuery {
            query: Arc::new(AnalyzedQuery::new(bound)),
            ordered_text: ordered_rows_text(&tree).map(|text| text_hash(&text)),
            latest_plan: Mutex::default(),
        });
        if is_shared {
            cache.insert(compiled, &identity, &prepared);
        }
        Ok(prepared)
    }
}

/// The text, followed by names and values of its parameters. Values are printed exactly: two numbers can be equal and
/// print differently.
fn identity<'text>(text: &'text str, parameters: &Parameters) -> Cow<'text, str> {
    let mut identity = Cow::Borrowed(text);
    for (name, value) in parameters.iter() {
        let identity = identity.to_mut();
        // No query text contains a zero character, so texts and parameters cannot be confused.
        identity.push('\0');
        identity.push_str(name);
        if let Some(value) = value {
            identity.push('\0');
            identity.push_str(&value.to_string());
        }
    }
    identity
}

impl PreparedQueryCache {
    fn get(
        &self,
        compiled: &Arc<CompiledProperties>,
        identity: &str,
    ) -> Option<Arc<PreparedQuery>> {
        let key = key(compiled, identity);
        let mut state = self.lock();
        let entry = state.entries.get(&key)?;
        (*entry.identity == *identity).then(|| Arc::clone(&entry.query))
    }

    fn insert(
        &self,
        compiled: &Arc<CompiledProperties>,
        identity: &str,
        query: &Arc<PreparedQuery>,
    ) {
        let key = key(compiled, identity);
        let mut state = self.lock();
        // Most parameter values come once: a query with parameters is admitted when it is asked again.
        if identity.contains('\0') && !state.mark_seen(key.0) {
            return;
        }
        let entry = PreparedQueryEntry {
            identity: identity.into(),
            // The weak reference keeps the allocation, so the address in the key is not reused while the entry exists.
            compiled: Arc::downgrade(compiled),
            query: Arc::clone(query),
        };
        debug_assert_eq!(entry.compiled.as_ptr() as usize, key.1);
        state.entries.insert(key, entry);
    }

    fn lock(&self) -> MutexGuard<'_, PreparedQueries> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PreparedQueries {
    /// Remembers a hash; returns whether it was the last one at its place.
    fn mark_seen(&mut self, hash: u128) -> bool {
        let place = usize::try_from(hash % SEEN_MAX as u128).unwrap_or_default();
        match self.seen_once.get_mut(place) {
            Some(known) => std::mem::replace(known, hash) == hash,
            None => false,
        }
    }
}

impl Default for PreparedQueryCache {
    fn default() -> Self {
        let entries = ClockCache::new(QUERIES_MAX);
        Self { state: Mutex::new(PreparedQueries { entries, seen_once: vec![0; SEEN_MAX] }) }
    }
}

fn key(compiled: &Arc<CompiledProperties>, identity: &str) -> (u128, usize) {
    (text_hash(identity), Arc::as_ptr(compiled) as usize)
}

#[cfg(test)]
mod tests {
    use model::Json;

    use super::*;

    #[test]
    fn parameters_are_part_of_the_identity_of_a_query() {
        let of = |value: Option<&str>| {
            let mut parameters = Parameters::new();
            parameters.push("@p", value.map(|text| Json::parse(text.as_bytes()).unwrap()));
            identity("SELECT @p", &parameters).into_owned()
        };
        let all = [of(Some("1")), of(Some("1.0")), of(Some("\"1\"")), of(None)];
        for (index, left) in all.iter().enumerate() {
            assert!(all.iter().skip(index + 1).all(|right| left != right), "{left:?}");
        }
        assert_eq!(identity("SELECT 1", &Parameters::new()), "SELECT 1");
    }

    #[test]
    fn a_query_with_parameters_is_admitted_when_it_is_asked_again() {
        let cache = PreparedQueryCache::default();
        let mut state = cache.lock();
        assert!(!state.mark_seen(7));
        assert!(state.mark_seen(7));
        assert!(!state.mark_seen(8));
    }
}
