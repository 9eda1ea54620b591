//! One instance of a repeated block, and what expressions find under its name.

use hcl::{Map, Value};

use super::function;

/// One of the instances that `for_each` or `count` makes of a block.
#[derive(Clone, Debug)]
pub(super) struct ResourceInstance {
    /// The name under which expressions find it: `each`, `count`, or the iterator of a `dynamic` block.
    root: String,
    pub(super) key: String,
    pub(super) value: Value,
    /// The instance around a `dynamic` block.
    outer: Option<Box<ResourceInstance>>,
}

impl ResourceInstance {
    /// The instance that a name means: this one, or one around it.
    pub(super) fn find(&self, root: &str) -> Option<&Self> {
        if self.root == root {
            return Some(self);
        }
        self.outer.as_ref().and_then(|outer| outer.find(root))
    }
}

pub(super) fn instance(
    root: String,
    key: Value,
    value: Value,
    outer: Option<ResourceInstance>,
) -> ResourceInstance {
    let name = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
    let mut each = Map::new();
    each.insert("key".to_owned(), key);
    each.insert("value".to_owned(), value);
    ResourceInstance { root, key: name, value: Value::Object(each), outer: outer.map(Box::new) }
}

pub(super) fn counted(index: u64) -> ResourceInstance {
    let mut count = Map::new();
    count.insert("index".to_owned(), Value::from(index));
    let (root, key) = ("count".to_owned(), index.to_string());
    ResourceInstance { root, key, value: Value::Object(count), outer: None }
}

/// The keys and values that `for_each` goes over.
pub(super) fn pairs_of(over: Value) -> Result<Vec<(String, Value)>, String> {
    match over {
        Value::Object(map) => Ok(map.into_iter().collect()),
        Value::Array(list) => {
            list.into_iter().map(|key| Ok((function::text_of(&key)?, key))).collect()
        }
        other => Err(format!("for_each goes over a map or a set, not over {other}")),
    }
}
