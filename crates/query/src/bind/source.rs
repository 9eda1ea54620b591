//! Inputs.
//!
//! Owns scope: which input a path starts at, the implicit alias of an input, and the rule that aliases are unique. The
//! container can be read once, by the very first input; everywhere else a name must be an alias in scope.

use super::binder::{Binder, Nesting, ScopeEntry};
use super::bound::PathStep;
use super::bound::{BoundSource, Input};
use crate::ast::{FromClause, Identifier, Source, SourceForm, SourcePath, SourceRoot, SourceStep};
use crate::error::text;

impl Binder<'_> {
    /// Binds the inputs in order; each sees those before it.
    pub(super) fn sources(
        &mut self,
        from: Option<&FromClause>,
        nesting: Nesting,
    ) -> Vec<BoundSource> {
        let mut bound = Vec::new();
        for (index, source) in from.iter().flat_map(|from| from.sources()).enumerate() {
            let nesting = match nesting {
                // Only the very first input may read the container, however deep it is nested in FROM.
                Nesting::Outermost | Nesting::FirstInput if index == 0 => Nesting::FirstInput,
                _ => Nesting::Correlated,
            };
            bound.push(self.source(source, nesting));
        }
        bound
    }

    fn source(&mut self, source: &Source, nesting: Nesting) -> BoundSource {
        let root = match &source.path.root {
            SourceRoot::Name(name) => self.root(name, nesting),
            SourceRoot::Subquery(query) => Input::Query(Box::new(self.query(query, nesting))),
        };
        let path = source.path.steps.iter().map(bound_step).collect();
        let alias = alias(source);
        if let Some(alias) = alias {
            // An alias of an outer query may be shadowed; only aliases of the same query must differ.
            let own = self.scope.iter().skip(self.frame.base);
            if own.filter_map(|known| known.alias.as_ref()).any(|known| *known == alias.text) {
                self.errors.push(text::duplicate_alias(&alias.text));
            }
        }
        let alias = alias.map(|name| name.text.clone());
        // After its own root was bound: an input does not see itself.
        let slot = self.scope.len();
        let iterates = matches!(source.form, SourceForm::Iterate(_));
        let is_item = !iterates && source.path.steps.is_empty() && self.is_item(&root);
        self.scope.push(ScopeEntry { alias: alias.clone(), is_item, ..ScopeEntry::unnamed() });
        BoundSource { alias, slot, root, path, iterates }
    }

    fn root(&mut self, name: &Identifier, nesting: Nesting) -> Input {
        // An alias wins over the container, whose name can be chosen freely.
        if let Some(slot) = self.slot(&name.text) {
            if self.scope.get(slot).is_some_and(|known| known.is_grouped) {
                self.errors.push(text::ungrouped_property(name.span.0, &name.text));
            }
            return Input::Slot(slot);
        }
        if nesting == Nesting::Correlated {
            self.errors.push(text::unresolved(name.span.0, &name.text));
        }
        // Also for an unresolved name, so that binding can go on; the error prevents the query from running.
        Input::Container
    }

    /// Whether an input starts at an item of the container.
    fn is_item(&self, root: &Input) -> bool {
        match root {
            Input::Container => true,
            Input::Slot(slot) => self.scope.get(*slot).is_some_and(|known| known.is_item),
            Input::Query(_) => false,
        }
    }

    /// The slot of an alias; the innermost query shadows the outer ones.
    pub(super) fn slot(&self, alias: &str) -> Option<usize> {
        self.scope.iter().rposition(|known| known.alias.as_deref() == Some(alias))
    }
}

/// The written alias, or the last name of the path. A path that ends in an index, and a subquery, have none.
fn alias(source: &Source) -> Option<&Identifier> {
    match &source.form {
        SourceForm::Iterate(variable) => Some(variable),
        SourceForm::Value(Some(alias)) => Some(alias),
        SourceForm::Value(None) => inferred_alias(&source.path),
    }
}

fn inferred_alias(path: &SourcePath) -> Option<&Identifier> {
    match path.steps.last() {
        Some(SourceStep::Property(name) | SourceStep::Quoted(name)) => Some(name),
        Some(SourceStep::Index(_)) => None,
        None => match &path.root {
            SourceRoot::Name(name) => Some(name),
            SourceRoot::Subquery(_) => None,
        },
    }
}

fn bound_step(step: &SourceStep) -> PathStep {
    match step {
        SourceStep::Property(name) | SourceStep::Quoted(name) => {
            PathStep::Property(name.text.clone())
        }
        SourceStep::Index(index) => PathStep::Index(*index),
    }
}
