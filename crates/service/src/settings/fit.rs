//! Tries one raw value against the type of the settings.
//!
//! The type itself decides: settings with only this value are deserialized, and serialized again to see whether the
//! name is known. Because each value is tried alone, one load reports every error and not only the first.

use serde_json::{Map, Value};

use super::builder::SettingValue;
use super::name;
use super::validator::SettingsSection;

/// The result of trying a value.
pub(super) enum FitResult {
    /// The type accepts this value.
    Accepted(Value),
    /// The type has no such name.
    UnknownName,
    /// The type rejects the value, with the reason.
    Rejected(String),
}

pub(super) fn fit<T: SettingsSection>(
    known: &Value,
    path: &[String],
    raw: &SettingValue,
) -> FitResult {
    let mut reason = String::new();
    for candidate in candidates(raw) {
        let tree = nested(known, [(path, candidate.clone())]);
        match serde_json::from_value::<T>(tree) {
            Ok(settings) => {
                // Serde ignores unknown names by default. A name that is not there after writing the settings again
                // was ignored.
                let written = serde_json::to_value(&settings).unwrap_or_default();
                return match name::value_at(&written, path) {
                    Some(_) => FitResult::Accepted(candidate),
                    None => FitResult::UnknownName,
                };
            }
            Err(error) => reason = error.to_string(),
        }
    }
    FitResult::Rejected(reason)
}

/// The values that a raw one may mean. A text is tried as text first, then as JSON: `50` must stay text for a setting
/// of type text.
fn candidates(raw: &SettingValue) -> Vec<Value> {
    match raw {
        SettingValue::Typed(value) => vec![value.clone()],
        SettingValue::Text(text) => {
            let parsed = serde_json::from_str(text.trim())
                .or_else(|_| serde_json::from_str(&text.trim().to_ascii_lowercase()));
            std::iter::once(Value::from(text.as_str())).chain(parsed.ok()).collect()
        }
    }
}

/// The tree of some leaves. Numbered parts become a list, unless the type has a table there.
pub(super) fn nested<'a>(
    known: &Value,
    leaves: impl IntoIterator<Item = (&'a [String], Value)>,
) -> Value {
    let mut root = Value::Object(Map::new());
    for (path, value) in leaves {
        insert(&mut root, path, value);
    }
    number_lists(Some(known), root)
}

fn insert(tree: &mut Value, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        *tree = value;
        return;
    };
    if let Value::Object(table) = tree {
        let below = table.entry(first.as_str()).or_insert_with(|| Value::Object(Map::new()));
        insert(below, rest, value);
    }
}

/// Turns tables whose keys are all numbers into lists, in the order of the numbers.
fn number_lists(known: Option<&Value>, tree: Value) -> Value {
    let Value::Object(table) = tree else { return tree };
    let numbered: Option<Vec<(u32, &String)>> =
        table.keys().map(|name| Some((name.parse().ok()?, name))).collect();
    match numbered {
        Some(mut order) if !order.is_empty() && !known.is_some_and(Value::is_object) => {
            // Sorted as numbers: as texts, `10` would come before `2`.
            order.sort_unstable();
            let values = order.iter().filter_map(|(_, name)| table.get(*name).cloned());
            values.map(|value| number_lists(None, value)).collect()
        }
        _ => {
            let below = |name: &str| known.and_then(|known| known.get(name));
            table
                .into_iter()
                .map(|(name, v)| {
                    let v = number_lists(below(&name), v);
                    (name, v)
                })
                .collect()
        }
    }
}
