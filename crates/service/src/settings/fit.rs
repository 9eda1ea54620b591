//! Fits one raw value into the type of the settings.
//!
//! Owns the question "is this value right for this name?", answered by the type itself: settings with only this value
//! are read, and written again to see whether the name was known. So each mistake is found alone.

use serde_json::{Map, Value};

use super::check::Settings;
use super::name;
use super::sources::Raw;

/// What the type says to a value.
pub(crate) enum Fit {
    /// It takes this one.
    Taken(Value),
    /// It has no such name.
    UnknownName,
    /// It refuses the value, and why.
    Refused(String),
}

pub(crate) fn fit<T: Settings>(known: &Value, path: &[String], raw: &Raw) -> Fit {
    let mut refused = String::new();
    for candidate in candidates(raw) {
        let tree = nested(known, [(path, candidate.clone())]);
        match serde_json::from_value::<T>(tree) {
            Ok(settings) => {
                let written = serde_json::to_value(&settings).unwrap_or_default();
                return match name::at(&written, path) {
                    Some(_) => Fit::Taken(candidate),
                    None => Fit::UnknownName,
                };
            }
            Err(error) => refused = error.to_string(),
        }
    }
    Fit::Refused(refused)
}

/// The values a raw one may stand for. A text is first itself, then what JSON makes of it.
fn candidates(raw: &Raw) -> Vec<Value> {
    match raw {
        Raw::Typed(value) => vec![value.clone()],
        Raw::Text(text) => {
            let parsed = serde_json::from_str(text.trim())
                .or_else(|_| serde_json::from_str(&text.trim().to_ascii_lowercase()));
            std::iter::once(Value::from(text.as_str())).chain(parsed.ok()).collect()
        }
    }
}

/// The tree of some leaves. Numbered parts make a list, unless the type has a table there.
pub(crate) fn nested<'a>(
    known: &Value,
    leaves: impl IntoIterator<Item = (&'a [String], Value)>,
) -> Value {
    let mut root = Value::Object(Map::new());
    for (path, value) in leaves {
        put(&mut root, path, value);
    }
    listed(Some(known), root)
}

fn put(tree: &mut Value, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        *tree = value;
        return;
    };
    if let Value::Object(table) = tree {
        let below = table.entry(first.as_str()).or_insert_with(|| Value::Object(Map::new()));
        put(below, rest, value);
    }
}

fn listed(known: Option<&Value>, tree: Value) -> Value {
    let Value::Object(table) = tree else { return tree };
    let numbered: Option<Vec<(u32, &String)>> =
        table.keys().map(|name| Some((name.parse().ok()?, name))).collect();
    match numbered {
        Some(mut order) if !order.is_empty() && !known.is_some_and(Value::is_object) => {
            order.sort_unstable();
            let values = order.iter().filter_map(|(_, name)| table.get(*name).cloned());
            values.map(|value| listed(None, value)).collect()
        }
        _ => {
            let below = |name: &str| known.and_then(|known| known.get(name));
            table
                .into_iter()
                .map(|(name, v)| {
                    let v = listed(below(&name), v);
                    (name, v)
                })
                .collect()
        }
    }
}
