//! Parses and binds query texts.
//!
//! Syntax trees are cached by text. Binding depends on the parameters and on the container; bound queries are cached
//! too, see `prepared`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::query::ast::QueryTree;
use ::query::{
    BoundQuery, BuiltInFunctions, ComputedProperties, Parameters, QueryError, bind_with, parse,
};

use super::clock_cache::ClockCache;
use crate::engine::Engine;
use crate::error::Result;
use crate::query::error::bad_query;

/// Number of texts in the cache.
const TEXTS_MAX: usize = 256;
/// Longer texts are not cached.
pub(super) const TEXT_BYTES_MAX: usize = 8 * 1024;

/// Syntax trees by query text, shared by all requests.
pub(crate) struct ParsedQueryCache {
    trees: Mutex<ClockCache<Arc<str>, Arc<QueryTree>>>,
}

impl Default for ParsedQueryCache {
    fn default() -> Self {
        Self { trees: Mutex::new(ClockCache::new(TEXTS_MAX)) }
    }
}

impl ParsedQueryCache {
    fn parse(&self, text: &str) -> std::result::Result<Arc<QueryTree>, Vec<QueryError>> {
        if let Some(tree) = self.lock().get(text) {
            return Ok(Arc::clone(tree));
        }
        // Parsed without the lock. Two requests may parse the same text at once; the second insert replaces an equal
        // tree.
        let tree = Arc::new(parse(text)?);
        // Such texts are usually generated and do not repeat; one of them could be as large as all others together.
        if text.len() <= TEXT_BYTES_MAX {
            self.lock().insert(text.into(), Arc::clone(&tree));
        }
        Ok(tree)
    }

    fn lock(&self) -> MutexGuard<'_, ClockCache<Arc<str>, Arc<QueryTree>>> {
        self.trees.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Parses and binds a query text.
pub(in crate::query) fn parse_and_bind(
    engine: &Engine,
    computed: &ComputedProperties,
    text: &str,
    parameters: &Parameters,
) -> Result<(Arc<QueryTree>, BoundQuery)> {
    let tree = engine.core.parsed_queries.parse(text).map_err(bad_query)?;
    let bound = bind_with(&tree, parameters, &BuiltInFunctions, computed);
    let bound = bound.map_err(bad_query)?;
    Ok((tree, bound))
}
