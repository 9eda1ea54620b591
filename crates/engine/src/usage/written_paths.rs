//! Which paths are written and indexed, from a sample of writes.
//!
//! Owns how often each path has a leaf and how many of them: what its index costs. Bounded: every write of the first
//! ones is looked at, then one of sixteen; paths beyond a number are not told apart.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use model::{Json, MatcherState, Object};

use crate::catalog::ContainerLive;

/// Writes that are all looked at.
const FIRST_WRITES: u64 = 64;
/// After these, one of so many.
const ONE_OF: u64 = 16;
const PATHS_MAX: usize = 512;

/// The written paths of one container.
#[derive(Debug, Default)]
pub(crate) struct WrittenPaths {
    writes: AtomicU64,
    sample: Mutex<Sample>,
}

/// What a sample of writes has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sample {
    /// Writes looked at.
    pub(crate) writes: u64,
    /// Indexed leaves by path, without the ending.
    pub(crate) indexed_leaves: BTreeMap<String, u64>,
    /// Indexed leaves at paths beyond those told apart.
    pub(crate) other_leaves: u64,
}

impl WrittenPaths {
    /// Whether this write is one to look at.
    pub(crate) fn is_next_in_sample(&self) -> bool {
        let number = self.writes.fetch_add(1, Relaxed);
        number < FIRST_WRITES || number.is_multiple_of(ONE_OF)
    }

    /// Looks at a written item.
    pub(crate) fn look_at(&self, object: &Object, live: &ContainerLive) {
        let mut leaves = Vec::new();
        if let Some(policy) = live.policy(live.generation) {
            let root = policy.matcher.root();
            for (name, value) in object.iter() {
                walk(value, &root.property(name), &format!("/{}", shown(name)), &mut leaves);
            }
        }
        let mut sample = self.sample.lock().unwrap_or_else(PoisonError::into_inner);
        sample.writes += 1;
        for path in leaves {
            let is_known = sample.indexed_leaves.contains_key(&path);
            if is_known || sample.indexed_leaves.len() < PATHS_MAX {
                *sample.indexed_leaves.entry(path).or_default() += 1;
            } else {
                sample.other_leaves += 1;
            }
        }
    }

    pub(crate) fn sample(&self) -> Sample {
        self.sample.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The paths of indexed leaves, each as often as it has one. The depth of an item is limited at the border.
fn walk(value: &Json, state: &MatcherState<'_>, path: &str, leaves: &mut Vec<String>) {
    if state.subtree_excluded() {
        return;
    }
    match value {
        Json::Array(elements) => {
            let (inner, path) = (state.element(), format!("{path}/[]"));
            elements.iter().for_each(|element| walk(element, &inner, &path, leaves));
        }
        Json::Object(object) => {
            for (name, value) in object.iter() {
                walk(value, &state.property(name), &format!("{path}/{}", shown(name)), leaves);
            }
        }
        _ if state.scalar_included() => leaves.push(path.to_owned()),
        _ => {}
    }
}

/// A name as reports of indexes write it: in quotes unless it is an identifier.
fn shown(name: &str) -> String {
    let mut characters = name.chars();
    let begins = characters.next().is_some_and(|first| first.is_alphabetic() || first == '_');
    if begins && characters.all(|other| other.is_alphanumeric() || other == '_') {
        return name.to_owned();
    }
    Json::from(name).to_string()
}
