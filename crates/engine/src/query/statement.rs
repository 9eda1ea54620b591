//! Queries bound and planned once for many requests.
//!
//! Owns the cache of queries without parameters: they mean the same for every request as long as their container is
//! not replaced. Their plans follow the indexes that a request finds. Does not own texts or plans: see `prepared`.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ::query::Parameters;
use ::query::plan::access::Indexes;

use super::prepared::{Filtered, Prepared, TEXT_BYTES_MAX, TEXTS_MAX, bind_text};
use crate::catalog::ContainerLive;
use crate::engine::Engine;
use crate::error::Result;

/// Containers whose meaning of one text is remembered.
const CONTAINERS_MAX: usize = 8;

/// A query of a container, bound, and its last plan.
pub(crate) struct Statement {
    pub(super) query: Arc<Filtered>,
    planned: Mutex<Option<Arc<Prepared>>>,
}

/// Statements by text, shared by all requests.
#[derive(Default)]
pub(crate) struct StatementCache {
    by_text: Mutex<HashMap<String, VecDeque<Known>>>,
}

struct Known {
    live: Weak<ContainerLive>,
    statement: Arc<Statement>,
}

impl Statement {
    /// The plan by some indexes.
    pub(super) fn planned(&self, indexes: Arc<Indexes>) -> Result<Arc<Prepared>> {
        let lock = || self.planned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = lock().as_ref().filter(|last| Arc::ptr_eq(&last.indexes, &indexes)) {
            return Ok(Arc::clone(last));
        }
        let prepared = Arc::new(Prepared::new(Arc::clone(&self.query), indexes)?);
        *lock() = Some(Arc::clone(&prepared));
        Ok(prepared)
    }
}

impl Engine {
    /// The statement of a text in a container.
    pub(super) fn statement(
        &self,
        live: &Arc<ContainerLive>,
        text: &str,
        parameters: &Parameters,
    ) -> Result<Arc<Statement>> {
        let cache = &self.core.statements;
        let is_shared = parameters.iter().next().is_none() && text.len() <= TEXT_BYTES_MAX;
        if is_shared && let Some(known) = cache.find(live, text) {
            return Ok(known);
        }
        let (_, bound) = bind_text(self, &live.computed, text, parameters)?;
        let query = Arc::new(Filtered::new(bound));
        let statement = Arc::new(Statement { query, planned: Mutex::default() });
        if is_shared {
            cache.remember(live, text, &statement);
        }
        Ok(statement)
    }
}

impl StatementCache {
    fn find(&self, live: &Arc<ContainerLive>, text: &str) -> Option<Arc<Statement>> {
        let by_text = self.lock();
        let known = by_text.get(text)?.iter().find(|known| known.is_of(live))?;
        Some(Arc::clone(&known.statement))
    }

    fn remember(&self, live: &Arc<ContainerLive>, text: &str, statement: &Arc<Statement>) {
        let mut by_text = self.lock();
        // Full means that texts do not repeat; starting over costs as little as any other choice.
        if by_text.len() >= TEXTS_MAX && !by_text.contains_key(text) {
            by_text.clear();
        }
        let known = by_text.entry(text.to_owned()).or_default();
        known.retain(|other| other.live.strong_count() > 0 && !other.is_of(live));
        if known.len() >= CONTAINERS_MAX {
            known.pop_front();
        }
        known.push_back(Known { live: Arc::downgrade(live), statement: Arc::clone(statement) });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, VecDeque<Known>>> {
        self.by_text.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// Whether this is what a text means as long as a container is as given. A place in memory is not used again while
    /// something points at it.
    fn is_of(&self, live: &Arc<ContainerLive>) -> bool {
        self.live.as_ptr() == Arc::as_ptr(live)
    }
}
