//! Names of settings: looked up without regard to case, printed with colons, and the nearest name to a misspelt one.

use serde_json::Value;

/// Resolves a path to the spelling of the type: each part is looked up without regard to case; unknown parts stay.
pub(super) fn resolve(known: &Value, path: &[String]) -> Vec<String> {
    let mut at = Some(known);
    path.iter()
        .map(|part| {
            let found = at.and_then(Value::as_object).and_then(|table| find_child(table, part));
            at = found.map(|(_, value)| value);
            found.map_or_else(|| part.clone(), |(name, _)| name.clone())
        })
        .collect()
}

/// The entry of a table with this name, without regard to case.
pub(super) fn find_child<'a>(
    table: &'a serde_json::Map<String, Value>,
    part: &str,
) -> Option<(&'a String, &'a Value)> {
    table.iter().find(|(name, _)| name.eq_ignore_ascii_case(part))
}

/// The value at a path. Inside a list every index means the first element: each element is tried on its own, so the
/// tree that was written contains a list of one.
pub(super) fn value_at<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, part| match value {
        Value::Array(list) => list.first(),
        other => other.get(part),
    })
}

/// Names and values of all leaves; an empty list or table is a leaf.
pub(super) fn leaves(value: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    collect(String::new(), value, &mut found);
    found
}

fn collect<'a>(name: String, value: &'a Value, found: &mut Vec<(String, &'a Value)>) {
    let below =
        |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}:{part}") };
    match value {
        Value::Object(table) if !table.is_empty() => {
            table.iter().for_each(|(part, value)| collect(below(part), value, found));
        }
        Value::Array(list) if !list.is_empty() => {
            list.iter()
                .enumerate()
                .for_each(|(i, value)| collect(below(&i.to_string()), value, found));
        }
        leaf => found.push((name, leaf)),
    }
}

/// The nearest of some names, if it is near enough to have been meant.
pub(super) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    let distance = |other: &&str| strsim::levenshtein(&name, &other.to_ascii_lowercase());
    let (far, found) = names.map(|other| (distance(&other), other)).min()?;
    // One typing error in four letters, four at most: beyond that a suggestion confuses more than it helps.
    (far <= (name.len() / 4).clamp(1, 4)).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_name_far_from_all_has_no_nearest() {
        let names = ["Notifications:BatchSize", "Fcm:Endpoint"];
        assert_eq!(nearest("notifications:batchsice", names.into_iter()), Some(names[0]));
        assert_eq!(nearest("Paths:Home", names.into_iter()), None);
    }
}
