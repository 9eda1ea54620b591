//! What a call may know besides its arguments.
//!
//! Owns the injected time, random numbers, container policies and the cache of read patterns. Does not own where they
//! come from: evaluation takes them from the query's environment.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use model::{FullTextPolicy, GeospatialConfig, PropertyPath, VectorEmbeddingPolicy};

use super::date_time::UtcDateTime;
use super::string::RegexPattern;

/// Patterns kept read; beyond, the cache starts anew.
const PATTERNS_MAX: usize = 64;

/// What is injected into a call.
#[derive(Clone, Copy)]
pub struct CallContext<'call> {
    /// The time of this row.
    pub now: UtcDateTime,
    /// The time the query began at: the same for all its rows.
    pub query_start: UtcDateTime,
    /// Gives the next random number, at least 0 and below 1.
    pub random: &'call dyn Fn() -> f64,
    /// The meaning of coordinates.
    pub geospatial: GeospatialConfig,
    /// The vectors of the container.
    pub vector_embeddings: &'call VectorEmbeddingPolicy,
    /// The texts of the container.
    pub full_text: &'call FullTextPolicy,
    /// For each argument that is a property path of the item, that path.
    pub argument_paths: &'call [Option<PropertyPath>],
    /// Patterns read by earlier calls.
    pub patterns: &'call PatternCache,
}

impl CallContext<'_> {
    /// The path of an argument, if it is one.
    pub(super) fn argument_path(&self, place: usize) -> Option<&PropertyPath> {
        self.argument_paths.get(place).and_then(Option::as_ref)
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

/// A pattern and its modifiers, as written.
type PatternName = (String, String);

/// Regular expressions already read, so that a constant pattern is read once per query and not once per row.
#[derive(Debug, Default)]
pub struct PatternCache {
    patterns: Mutex<HashMap<PatternName, Option<Arc<RegexPattern>>>>,
}

impl PatternCache {
    /// A cache without patterns.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The pattern with these modifiers; none when it cannot be read, which is remembered too.
    pub(super) fn get(&self, pattern: &str, modifiers: &str) -> Option<Arc<RegexPattern>> {
        let Ok(mut patterns) = self.patterns.lock() else {
            return RegexPattern::new(pattern, modifiers).map(Arc::new);
        };
        let name = (pattern.to_owned(), modifiers.to_owned());
        if let Some(known) = patterns.get(&name) {
            return known.clone();
        }
        if patterns.len() >= PATTERNS_MAX {
            patterns.clear();
        }
        let read = RegexPattern::new(pattern, modifiers).map(Arc::new);
        patterns.insert(name, read.clone());
        read
    }
}
