//! A policy, ready to be asked.
//!
//! Owns which paths have terms. The paths that the engine never indexes are known here too, whatever a policy says.

use model::{
    CompositeIndex, IndexPathSegment, IndexingMode, IndexingPolicy, MatcherState, PathMatcher,
};

/// System properties without terms.
const WITHOUT_TERMS: [&str; 3] = ["_rid", "_self", "_attachments"];

/// The indexes of a container.
#[derive(Clone, Debug)]
pub struct Indexes {
    /// A path has terms if every matcher includes it.
    matchers: Vec<PathMatcher>,
    composites: Vec<CompositeIndex>,
}

impl Indexes {
    /// The indexes that a policy makes.
    #[must_use]
    pub fn new(policy: &IndexingPolicy) -> Self {
        let composites = match policy.mode {
            IndexingMode::Consistent => policy.composite.clone(),
            IndexingMode::None => Vec::new(),
        };
        Self { matchers: vec![PathMatcher::new(policy)], composites }
    }

    /// What these have in common with the indexes of another policy: while terms are rebuilt, some items follow the one
    /// and some the other.
    #[must_use]
    pub fn and(mut self, policy: &IndexingPolicy) -> Self {
        let other = Self::new(policy);
        self.composites.retain(|composite| other.composites.contains(composite));
        self.matchers.extend(other.matchers);
        self
    }

    /// Whether the values at a path have terms.
    #[must_use]
    pub fn covers(&self, path: &[IndexPathSegment]) -> bool {
        if path.is_empty() || is_without_terms(path) {
            return false;
        }
        self.matchers.iter().all(|matcher| includes(matcher, path))
    }

    /// The composite indexes, by number.
    #[must_use]
    pub fn composites(&self) -> &[CompositeIndex] {
        &self.composites
    }
}

fn includes(matcher: &PathMatcher, path: &[IndexPathSegment]) -> bool {
    let mut state = matcher.root();
    for segment in path {
        // The walk over an item turns back here as well.
        if state.subtree_excluded() {
            return false;
        }
        state = step(&state, segment);
    }
    state.scalar_included()
}

fn step<'matcher>(
    state: &MatcherState<'matcher>,
    segment: &IndexPathSegment,
) -> MatcherState<'matcher> {
    match segment {
        IndexPathSegment::Property(name) => state.property(name),
        IndexPathSegment::AnyElement => state.element(),
    }
}

/// Whether a path begins at a system property that has no terms.
pub(super) fn is_without_terms(path: &[IndexPathSegment]) -> bool {
    match path.first() {
        Some(IndexPathSegment::Property(name)) => WITHOUT_TERMS.contains(&name.as_str()),
        _ => false,
    }
}
