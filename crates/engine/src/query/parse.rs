//! Parses and binds query texts.
//!
//! Syntax trees are cached by text. Binding depends on the parameters and on the container; queries without parameters
//! are bound once, see `prepared`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::query::ast::Query;
use ::query::{
    BoundQuery, BuiltInFunctions, ComputedProperties, Parameters, QueryError, bind_with, parse,
};

use super::error::bad_query;
use crate::engine::Engine;
use crate::error::Result;

/// Number of texts in a cache.
pub(super) const TEXTS_MAX: usize = 256;
/// Longer texts are not cached.
pub(super) const TEXT_BYTES_MAX: usize = 8 * 1024;

/// Syntax trees by query text, shared by all requests.
#[derive(Default)]
pub(crate) struct ParsedQueryCache {
    trees: Mutex<HashMap<String, Arc<Query>>>,
}

impl ParsedQueryCache {
    fn parse(&self, text: &str) -> std::result::Result<Arc<Query>, Vec<QueryError>> {
        if let Some(tree) = self.lock().get(text) {
            return Ok(Arc::clone(tree));
        }
        let tree = Arc::new(parse(text)?);
        if text.len() <= TEXT_BYTES_MAX {
            let mut trees = self.lock();
            // A full cache means that texts do not repeat, so no eviction policy would do better than starting over.
            if trees.len() >= TEXTS_MAX {
                trees.clear();
            }
            trees.insert(text.to_owned(), Arc::clone(&tree));
        }
        Ok(tree)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Query>>> {
        self.trees.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Parses and binds a query text.
pub(super) fn parse_and_bind(
    engine: &Engine,
    computed: &ComputedProperties,
    text: &str,
    parameters: &Parameters,
) -> Result<(Arc<Query>, BoundQuery)> {
    let tree = engine.core.parsed_queries.parse(text).map_err(bad_query)?;
    let bound = bind_with(&tree, parameters, &BuiltInFunctions, computed);
    let bound = bound.map_err(bad_query)?;
    Ok((tree, bound))
}
