//! The paths of slots inside the item.
//!
//! Owns the path of each slot that has one, so that a call knows which property an argument is: policies for vectors
//! and full text are declared by path. Does not own the values of slots.

use model::PropertyPath;

use crate::bind::{BoundSource, Expression, Input, PathStep};

/// For each slot, the path of its value inside the item, if it has one. The item itself has the empty path.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotPaths {
    slots: Vec<Option<Vec<String>>>,
}

impl SlotPaths {
    /// A single slot that holds an item.
    pub(crate) fn item() -> Self {
        Self { slots: vec![Some(Vec::new())] }
    }

    /// Adds the slot of an input. The paths of earlier slots that were not added are unknown.
    pub(crate) fn push(&mut self, source: &BoundSource) {
        debug_assert!(self.slots.len() <= source.slot, "slots are filled in order");
        self.slots.resize(source.slot, None);
        let start = match &source.root {
            Input::Container => Some(Vec::new()),
            Input::Slot(slot) => self.slots.get(*slot).cloned().flatten(),
            Input::Query(_) => None,
        };
        // An element of an array has no path of its own: policies name properties.
        let path = start.filter(|_| !source.iterates).and_then(|path| extend(path, &source.path));
        self.slots.push(path);
    }

    /// The property of the item that an expression refers to.
    pub(crate) fn path(&self, expression: &Expression) -> Option<PropertyPath> {
        let (target, steps): (_, &[PathStep]) = match expression {
            Expression::Member { target, steps } => (&**target, steps),
            other => (other, &[]),
        };
        let Expression::Input(slot) = target else { return None };
        let start = self.slots.get(*slot)?.clone()?;
        PropertyPath::from_segments(extend(start, steps)?)
    }
}

/// Extends a path; `None` if a step is not a property.
fn extend(mut path: Vec<String>, steps: &[PathStep]) -> Option<Vec<String>> {
    for step in steps {
        match step {
            PathStep::Property(name) => path.push(name.clone()),
            PathStep::Index(_) | PathStep::Nowhere => return None,
        }
    }
    Some(path)
}
