//! Names of settings: found without regard to case, printed with colons, and the nearest one to a misspelt one.

use serde_json::Value;

/// The path of a setting as its type spells it: each part is found without regard to case; what is not found stays.
pub(crate) fn resolved(known: &Value, path: &[String]) -> Vec<String> {
    let mut at = Some(known);
    path.iter()
        .map(|part| {
            let found = at.and_then(Value::as_object).and_then(|table| child(table, part));
            at = found.map(|(_, value)| value);
            found.map_or_else(|| part.clone(), |(name, _)| name.clone())
        })
        .collect()
}

/// The part of a table with this name, without regard to case.
pub(crate) fn child<'a>(
    table: &'a serde_json::Map<String, Value>,
    part: &str,
) -> Option<(&'a String, &'a Value)> {
    table.iter().find(|(name, _)| name.eq_ignore_ascii_case(part))
}

/// The value at a path. Inside a list every index is the first: lists are looked at one element at a time.
pub(crate) fn at<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, part| match value {
        Value::Array(list) => list.first(),
        other => other.get(part),
    })
}

/// Names and values of all leaves; an empty list or table is a leaf.
pub(crate) fn leaves(value: &Value) -> Vec<(String, &Value)> {
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

/// The nearest of some names, if one is near enough to have been meant.
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    let near = |other: &&str| distance(&name, &other.to_ascii_lowercase());
    let (far, found) = names.map(|other| (near(&other), other)).min()?;
    (far <= (name.len() / 4).clamp(1, 4)).then_some(found)
}

/// Letters to add, drop or change to make one text of the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (above, candidate) in row.iter_mut().skip(1).zip(&other) {
            let changed = diagonal + usize::from(letter != *candidate);
            diagonal = *above;
            left = changed.min(left + 1).min(*above + 1);
            *above = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn the_distance_counts_letters() {
        for (one, other, expected) in [
            ("", "", 0),
            ("a", "", 1),
            ("", "ab", 2),
            ("kitten", "sitting", 3),
            ("flaw", "lawn", 2),
        ] {
            assert_eq!(distance(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn a_name_far_from_all_has_no_nearest() {
        let names = ["Notifications:BatchSize", "Fcm:Endpoint"];
        assert_eq!(nearest("notifications:batchsice", names.into_iter()), Some(names[0]));
        assert_eq!(nearest("Paths:Home", names.into_iter()), None);
    }
}
