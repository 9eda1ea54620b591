//! Decide which values of an item are indexed, while the item is traversed.
//!
//! Owns the rule that decides between included and excluded paths, compiled into a trie of path segments. The deepest
//! path that covers a value applies to it, and at the same depth `/?` takes precedence over `/*`. A path that ends in
//! `/*` covers the value it names and all below it, array elements included; a path that ends in `/?` covers only the
//! scalar it names, so elements need their `[]`. `id` and `_ts` are always included while the mode is consistent.
//!
//! Does not own composite, spatial, vector or full-text indexes, or the traversal.

use super::{IndexPathSegment, IndexingMode, IndexingPolicy, PathEnding};

/// Always indexed while the mode is consistent, regardless of the paths.
const ALWAYS_INCLUDED: [&str; 2] = ["id", "_ts"];
/// Index of the root node.
const ROOT: usize = 0;

/// The compiled paths of one policy.
#[derive(Clone, Debug)]
pub struct PathMatcher {
    nodes: Vec<MatcherNode>,
}

/// The position of a traversal: a node of the trie, or below all of them.
#[derive(Clone, Copy, Debug)]
pub struct MatcherState<'a> {
    matcher: &'a PathMatcher,
    node: Option<&'a MatcherNode>,
    /// Whether the nearest `/*`, at this node or above, includes its subtree.
    subtree_included: bool,
}

/// A node of the trie.
#[derive(Clone, Debug, Default)]
struct MatcherNode {
    /// Child nodes of properties, sorted by name.
    // Indexes into one list of nodes instead of nested boxes: no recursion to drop, and nodes are close together.
    properties: Vec<(Box<str>, usize)>,
    /// Child node of array elements.
    element: Option<usize>,
    /// Whether a path that ends here with `/?` is included or excluded.
    scalar: Option<bool>,
    /// Whether a path that ends here with `/*` is included or excluded.
    subtree: Option<bool>,
    /// Whether an included path ends exactly here.
    named: bool,
    /// Whether an included path ends here or below.
    includes_below: bool,
}

impl PathMatcher {
    /// Compiles the paths of a policy.
    #[must_use]
    pub fn new(policy: &IndexingPolicy) -> Self {
        let mut matcher = Self { nodes: vec![MatcherNode::default()] };
        if policy.mode == IndexingMode::None {
            return matcher;
        }
        for included in &policy.included {
            let path = &included.path;
            matcher.record(path.segments(), path.ending(), true);
        }
        // After the included ones, but no path is in both lists, so the order does not matter.
        for path in &policy.excluded {
            matcher.record(path.segments(), path.ending(), false);
        }
        for name in ALWAYS_INCLUDED {
            let index = matcher.property_node(ROOT, name);
            // Overrides an excluded `/id/?`. Not `named`: the client did not write the path.
            matcher.change(index, |node| node.scalar = Some(true));
        }
        matcher.mark_includes_below();
        matcher
    }

    /// The state at the root of the item.
    #[must_use]
    pub fn root(&self) -> MatcherState<'_> {
        MatcherState::at(self, Some(ROOT), false)
    }

    fn record(&mut self, segments: &[IndexPathSegment], ending: PathEnding, included: bool) {
        let index = segments.iter().fold(ROOT, |index, segment| match segment {
            IndexPathSegment::Property(name) => self.property_node(index, name),
            IndexPathSegment::AnyElement => self.element_node(index),
        });
        // The root includes everything, which says nothing about a single property.
        let named = included && index != ROOT;
        self.change(index, |node| {
            match ending {
                PathEnding::Scalar => node.scalar = Some(included),
                PathEnding::Subtree => node.subtree = Some(included),
            }
            node.named |= named;
        });
    }

    /// Finds or creates the node of a property.
    fn property_node(&mut self, parent: usize, name: &str) -> usize {
        let new = self.nodes.len();
        let Some(node) = self.nodes.get_mut(parent) else {
            return parent;
        };
        match node.find(name) {
            Ok(index) => node.properties.get(index).map_or(parent, |(_, child)| *child),
            Err(index) => {
                node.properties.insert(index, (name.into(), new));
                self.nodes.push(MatcherNode::default());
                new
            }
        }
    }

    /// Finds or creates the node of array elements.
    fn element_node(&mut self, parent: usize) -> usize {
        let new = self.nodes.len();
        let Some(node) = self.nodes.get_mut(parent) else {
            return parent;
        };
        let child = *node.element.get_or_insert(new);
        if child == new {
            self.nodes.push(MatcherNode::default());
        }
        child
    }

    fn change(&mut self, index: usize, change: impl FnOnce(&mut MatcherNode)) {
        if let Some(node) = self.nodes.get_mut(index) {
            change(node);
        }
    }

    /// A node is always created after its parent, so one pass from the last node to the first propagates every mark up.
    fn mark_includes_below(&mut self) {
        for index in (0..self.nodes.len()).rev() {
            let includes = self.nodes.get(index).is_some_and(|node| {
                node.scalar == Some(true)
                    || node.subtree == Some(true)
                    || node
                        .children()
                        .any(|child| self.nodes.get(child).is_some_and(|node| node.includes_below))
            });
            self.change(index, |node| node.includes_below = includes);
        }
    }
}

impl<'a> MatcherState<'a> {
    /// The state at a property of the object here.
    #[must_use]
    pub fn property(&self, name: &str) -> Self {
        let child = self.node.and_then(|node| {
            let index = node.find(name).ok()?;
            node.properties.get(index).map(|(_, child)| *child)
        });
        Self::at(self.matcher, child, self.subtree_included)
    }

    /// The state at any element of the array here.
    #[must_use]
    pub fn element(&self) -> Self {
        let child = self.node.and_then(|node| node.element);
        Self::at(self.matcher, child, self.subtree_included)
    }

    /// Whether a scalar at this position is indexed.
    #[must_use]
    pub fn scalar_included(&self) -> bool {
        // `/?` is more specific than `/*` at the same node, and is not inherited.
        self.node.and_then(|node| node.scalar).unwrap_or(self.subtree_included)
    }

    /// Whether neither a scalar here nor anything below can be indexed, so that the traversal can skip the value.
    #[must_use]
    pub fn subtree_excluded(&self) -> bool {
        !self.subtree_included && !self.node.is_some_and(|node| node.includes_below)
    }

    /// Whether an included path other than the root `/*` ends exactly here.
    #[must_use]
    pub fn explicitly_included(&self) -> bool {
        self.scalar_included() && self.node.is_some_and(|node| node.named)
    }

    fn at(matcher: &'a PathMatcher, index: Option<usize>, inherited: bool) -> Self {
        let node = index.and_then(|index| matcher.nodes.get(index));
        // The deepest `/*` on the way decides. Below the trie there is none, and the last decision stays.
        let subtree_included = node.and_then(|node| node.subtree).unwrap_or(inherited);
        Self { matcher, node, subtree_included }
    }
}

impl MatcherNode {
    fn find(&self, name: &str) -> Result<usize, usize> {
        self.properties.binary_search_by(|(known, _)| (**known).cmp(name))
    }

    fn children(&self) -> impl Iterator<Item = usize> {
        self.properties.iter().map(|(_, child)| *child).chain(self.element)
    }
}
