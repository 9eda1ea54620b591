//! Is this value indexed? Answered step by step while an item is walked.
//!
//! Owns the rule that decides between included and excluded paths, compiled into a small tree. Every value follows one
//! branch of it; the deepest path on that branch wins, and at the same depth `/?` beats `/*`. A path that ends in `/*`
//! covers the value it names and all below it, array elements included; a path that ends in `/?` covers only the scalar
//! it names, so elements need their `[]`. `id` and `_ts` are always included while the mode is consistent.
//!
//! Does not own composite, spatial, vector or full-text indexes, nor the walk itself.

use super::{IndexPathSegment, IndexingMode, IndexingPolicy, PathEnding};

/// Indexed whatever the policy says, while the mode is consistent.
const ALWAYS_INCLUDED: [&str; 2] = ["id", "_ts"];
/// Place of the root among the branches.
const ROOT: usize = 0;

/// The compiled paths of one policy.
#[derive(Clone, Debug)]
pub struct PathMatcher {
    branches: Vec<Branch>,
}

/// Where a walk stands: a branch of the tree, or beyond all of them.
#[derive(Clone, Copy, Debug)]
pub struct MatcherState<'a> {
    matcher: &'a PathMatcher,
    branch: Option<&'a Branch>,
    /// What the nearest `/*` above or here says.
    subtree_included: bool,
}

/// One step that some path of the policy names.
#[derive(Clone, Debug, Default)]
struct Branch {
    /// Branches of properties, sorted by name.
    properties: Vec<(Box<str>, usize)>,
    /// Branch of array elements.
    element: Option<usize>,
    /// What `/?` says here.
    scalar: Option<bool>,
    /// What `/*` says here.
    subtree: Option<bool>,
    /// Whether an included path names exactly this place.
    named: bool,
    /// Whether some path says "included" here or below.
    includes_below: bool,
}

impl PathMatcher {
    /// Compiles the paths of a policy.
    #[must_use]
    pub fn new(policy: &IndexingPolicy) -> Self {
        let mut matcher = Self { branches: vec![Branch::default()] };
        if policy.mode == IndexingMode::None {
            return matcher;
        }
        for included in &policy.included {
            let path = &included.path;
            matcher.record(path.segments(), path.ending(), true);
        }
        for path in &policy.excluded {
            matcher.record(path.segments(), path.ending(), false);
        }
        for name in ALWAYS_INCLUDED {
            let place = matcher.property_branch(ROOT, name);
            matcher.change(place, |branch| branch.scalar = Some(true));
        }
        matcher.mark_includes_below();
        matcher
    }

    /// The state of a walk at the item itself.
    #[must_use]
    pub fn root(&self) -> MatcherState<'_> {
        MatcherState::at(self, Some(ROOT), false)
    }

    fn record(&mut self, segments: &[IndexPathSegment], ending: PathEnding, included: bool) {
        let place = segments.iter().fold(ROOT, |place, segment| match segment {
            IndexPathSegment::Property(name) => self.property_branch(place, name),
            IndexPathSegment::AnyElement => self.element_branch(place),
        });
        let named = included && place != ROOT;
        self.change(place, |branch| {
            match ending {
                PathEnding::Scalar => branch.scalar = Some(included),
                PathEnding::Subtree => branch.subtree = Some(included),
            }
            branch.named |= named;
        });
    }

    /// The branch of a property, made if it is not there.
    fn property_branch(&mut self, parent: usize, name: &str) -> usize {
        let new = self.branches.len();
        let Some(branch) = self.branches.get_mut(parent) else {
            return parent;
        };
        match branch.find(name) {
            Ok(place) => branch.properties.get(place).map_or(parent, |(_, child)| *child),
            Err(place) => {
                branch.properties.insert(place, (name.into(), new));
                self.branches.push(Branch::default());
                new
            }
        }
    }

    /// The branch of array elements, made if it is not there.
    fn element_branch(&mut self, parent: usize) -> usize {
        let new = self.branches.len();
        let Some(branch) = self.branches.get_mut(parent) else {
            return parent;
        };
        let child = *branch.element.get_or_insert(new);
        if child == new {
            self.branches.push(Branch::default());
        }
        child
    }

    fn change(&mut self, place: usize, change: impl FnOnce(&mut Branch)) {
        if let Some(branch) = self.branches.get_mut(place) {
            change(branch);
        }
    }

    /// A branch is always made after its parent, so one pass from the last to the first carries every mark up.
    fn mark_includes_below(&mut self) {
        for place in (0..self.branches.len()).rev() {
            let includes = self.branches.get(place).is_some_and(|branch| {
                branch.scalar == Some(true)
                    || branch.subtree == Some(true)
                    || branch.children().any(|child| {
                        self.branches.get(child).is_some_and(|branch| branch.includes_below)
                    })
            });
            self.change(place, |branch| branch.includes_below = includes);
        }
    }
}

impl<'a> MatcherState<'a> {
    /// The state at a property of the object here.
    #[must_use]
    pub fn property(&self, name: &str) -> Self {
        let child = self.branch.and_then(|branch| {
            let place = branch.find(name).ok()?;
            branch.properties.get(place).map(|(_, child)| *child)
        });
        Self::at(self.matcher, child, self.subtree_included)
    }

    /// The state at any element of the array here.
    #[must_use]
    pub fn element(&self) -> Self {
        let child = self.branch.and_then(|branch| branch.element);
        Self::at(self.matcher, child, self.subtree_included)
    }

    /// Whether a scalar that stands here is indexed.
    #[must_use]
    pub fn scalar_included(&self) -> bool {
        self.branch.and_then(|branch| branch.scalar).unwrap_or(self.subtree_included)
    }

    /// Whether neither a scalar here nor anything below can be indexed, so that the walk may turn back.
    #[must_use]
    pub fn subtree_excluded(&self) -> bool {
        !self.subtree_included && !self.branch.is_some_and(|branch| branch.includes_below)
    }

    /// Whether the policy names exactly this place among its included paths; the root `/*` names nothing.
    #[must_use]
    pub fn explicitly_included(&self) -> bool {
        self.scalar_included() && self.branch.is_some_and(|branch| branch.named)
    }

    fn at(matcher: &'a PathMatcher, place: Option<usize>, inherited: bool) -> Self {
        let branch = place.and_then(|place| matcher.branches.get(place));
        let subtree_included = branch.and_then(|branch| branch.subtree).unwrap_or(inherited);
        Self { matcher, branch, subtree_included }
    }
}

impl Branch {
    fn find(&self, name: &str) -> Result<usize, usize> {
        self.properties.binary_search_by(|(known, _)| (**known).cmp(name))
    }

    fn children(&self) -> impl Iterator<Item = usize> {
        self.properties.iter().map(|(_, child)| *child).chain(self.element)
    }
}
