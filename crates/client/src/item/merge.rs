//! Changes to a value, applied to the stored item it was read from.
//!
//! Owns the merge of three: the stored item, the value as it was read, and the value as it is now. What the type does
//! not know is in the first only, and stays. What the type knew and no longer says is removed. In an array, an element
//! keeps what the type does not know if it is unchanged, or if its `id` is the same.

use model::{Json, Object};

/// The stored item with what changed from `before` to `after`.
pub(super) fn merged(stored: &Json, before: &Json, after: &Json) -> Json {
    if before == after {
        return stored.clone();
    }
    match (stored, before, after) {
        (Json::Object(stored), Json::Object(before), Json::Object(after)) => {
            merged_object(stored, before, after).into()
        }
        (Json::Array(stored), Json::Array(before), Json::Array(after))
            if stored.len() == before.len() =>
        {
            merged_array(stored, before, after).into()
        }
        _ => after.clone(),
    }
}

fn merged_object(stored: &Object, before: &Object, after: &Object) -> Object {
    let mut result = Object::new();
    for (name, value) in stored.iter() {
        match (before.get(name), after.get(name)) {
            (Some(before), Some(after)) => result.insert(name, merged(value, before, after)),
            (Some(_), None) => {}
            (None, Some(after)) => result.insert(name, after.clone()),
            (None, None) => result.insert(name, value.clone()),
        }
    }
    for (name, value) in after.iter().filter(|(name, _)| stored.get(name).is_none()) {
        // A property the type makes up although it is not stored, such as a default, is written only once it changed.
        if before.get(name) != Some(value) {
            result.insert(name, value.clone());
        }
    }
    result
}

/// `stored` and `before` are the same elements, place by place.
fn merged_array(stored: &[Json], before: &[Json], after: &[Json]) -> Vec<Json> {
    let mut elements: Vec<Option<(&Json, &Json)>> = stored.iter().zip(before).map(Some).collect();
    let mut take = |is_it: &dyn Fn(&Json) -> bool| {
        elements.iter_mut().find(|slot| slot.is_some_and(|(_, before)| is_it(before)))?.take()
    };
    let unchanged: Vec<Option<&Json>> = after
        .iter()
        .map(|after| take(&|before| before == after).map(|(stored, _)| stored))
        .collect();
    let mut result = Vec::with_capacity(after.len());
    for (after, unchanged) in after.iter().zip(unchanged) {
        result.push(match (unchanged, after.get("id")) {
            (Some(stored), _) => stored.clone(),
            (None, Some(id)) => match take(&|before| before.get("id") == Some(id)) {
                Some((stored, before)) => merged(stored, before, after),
                None => after.clone(),
            },
            (None, None) => after.clone(),
        });
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stored: &str, before: &str, after: &str, expected: &str) {
        let parse = |text: &str| Json::parse(text.as_bytes()).unwrap();
        let result = merged(&parse(stored), &parse(before), &parse(after));
        assert_eq!(result.to_string(), parse(expected).to_string(), "{stored} {before} {after}");
    }

    #[test]
    fn what_the_type_does_not_know_stays_in_its_place() {
        check(r#"{"x":1,"a":1,"_ts":5}"#, r#"{"a":1}"#, r#"{"a":2}"#, r#"{"x":1,"a":2,"_ts":5}"#);
    }

    #[test]
    fn what_the_type_no_longer_says_is_removed() {
        check(r#"{"a":1,"b":2,"x":3}"#, r#"{"a":1,"b":2}"#, r#"{"a":1}"#, r#"{"a":1,"x":3}"#);
    }

    #[test]
    fn new_properties_are_added_at_the_end() {
        check(r#"{"a":1,"x":3}"#, r#"{"a":1}"#, r#"{"a":1,"b":2}"#, r#"{"a":1,"x":3,"b":2}"#);
    }

    #[test]
    fn a_default_that_was_never_stored_is_not_written() {
        check(r#"{"a":1}"#, r#"{"a":1,"d":0}"#, r#"{"a":2,"d":0}"#, r#"{"a":2}"#);
        check(r#"{"a":1}"#, r#"{"a":1,"d":0}"#, r#"{"a":1,"d":7}"#, r#"{"a":1,"d":7}"#);
    }

    #[test]
    fn objects_inside_are_merged_too() {
        check(
            r#"{"o":{"a":1,"x":9},"n":1.0}"#,
            r#"{"o":{"a":1}}"#,
            r#"{"o":{"a":2}}"#,
            r#"{"o":{"a":2,"x":9},"n":1.0}"#,
        );
    }

    #[test]
    fn elements_of_an_array_are_found_again_by_value_or_id() {
        check(
            r#"[{"id":1,"x":"one"},{"id":2,"x":"two"},{"id":3,"x":"three"}]"#,
            r#"[{"id":1},{"id":2},{"id":3}]"#,
            r#"[{"id":3},{"id":2,"new":true},{"id":4}]"#,
            r#"[{"id":3,"x":"three"},{"id":2,"x":"two","new":true},{"id":4}]"#,
        );
    }

    #[test]
    fn equal_elements_are_each_used_once() {
        check(
            r#"[{"a":1,"x":"p"},{"a":1,"x":"q"}]"#,
            r#"[{"a":1},{"a":1}]"#,
            r#"[{"a":1},{"a":1},{"a":1}]"#,
            r#"[{"a":1,"x":"p"},{"a":1,"x":"q"},{"a":1}]"#,
        );
    }

    #[test]
    fn a_value_of_another_type_replaces_all() {
        check(r#"{"v":{"x":1}}"#, r#"{"v":{}}"#, r#"{"v":[1]}"#, r#"{"v":[1]}"#);
    }
}
