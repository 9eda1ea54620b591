//! The indexes that a policy defines.
//!
//! Owns which paths have terms, including the system properties that the engine never indexes, whatever the policy
//! says.

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
            // Without indexing the policy may still list composite indexes: they have no terms.
            IndexingMode::None => Vec::new(),
        };
        Self { matchers: vec![PathMatcher::new(policy)], composites }
    }

    /// The indexes that another policy defines as well: while terms are rebuilt, some items follow the old policy and
    /// some the new one.
    #[must_use]
    pub fn and(mut self, policy: &IndexingPolicy) -> Self {
        let other = Self::new(policy);
        // Equal definitions have equal numbers, so their terms are the same under both policies.
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

    /// The composite indexes, in the order of the policy.
    #[must_use]
    pub fn composites(&self) -> &[CompositeIndex] {
        &self.composites
    }
}

fn includes(matcher: &PathMatcher, path: &[IndexPathSegment]) -> bool {
    let mut state = matcher.root();
    for segment in path {
        // Indexing an item stops at an excluded subtree as well, even if a path below it is included.
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

/// Whether a path starts with a system property that has no terms.
pub(super) fn is_without_terms(path: &[IndexPathSegment]) -> bool {
    match path.first() {
        Some(IndexPathSegment::Property(name)) => WITHOUT_TERMS.contains(&name.as_str()),
        _ => false,
    }
}
