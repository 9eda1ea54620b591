//! Apply the changes of a typed value to the stored item that it was read from.
//!
//! Owns the three-way merge of the stored item, the value as it was read, and the value as it is now. Properties that
//! the type does not know exist only in the stored item, and are kept. Properties that the type knew and no longer has
//! are removed. An element of an array keeps its unknown properties if it is unchanged, or if it has the same `id`.

use model::{Json, Object};

/// The result of a merge.
pub(crate) struct MergedItem {
    /// The item to write.
    pub(crate) item: Json,
    /// Whether it differs from the stored item.
    pub(crate) is_changed: bool,
}

/// Applies the difference between `before` and `after` to the stored item. Takes the stored item apart instead of
/// cloning it: most of it is usually kept.
pub(super) fn merge(stored: Json, before: &Json, after: Json) -> MergedItem {
    let mut merger = Merger { is_changed: false };
    let item = merger.value(stored, before, after);
    MergedItem { item, is_changed: merger.is_changed }
}

struct Merger {
    is_changed: bool,
}

impl Merger {
    fn value(&mut self, stored: Json, before: &Json, after: Json) -> Json {
        // The caller changed nothing here, so the stored value stays, with everything the type does not know.
        if *before == after {
            return stored;
        }
        match (stored, before, after) {
            (Json::Object(stored), Json::Object(before), Json::Object(after)) => {
                self.object(stored, before, after).into()
            }
            (Json::Array(stored), Json::Array(before), Json::Array(after))
                // Otherwise the type has dropped or added elements while reading, and indexes do not correspond.
                if stored.len() == before.len() =>
            {
                self.array(stored, before, after).into()
            }
            (stored, _, after) => self.replace(&stored, after),
        }
    }

    fn replace(&mut self, stored: &Json, after: Json) -> Json {
        self.is_changed |= *stored != after;
        after
    }

    fn object(&mut self, stored: Object, before: &Object, mut after: Object) -> Object {
        let mut result = Object::new();
        for (name, value) in stored {
            match (before.get(&name), after.remove(&name)) {
                (Some(before), Some(after)) => {
                    let value = self.value(value, before, after);
                    result.insert(name, value);
                }
                // The type knew the property and has removed it.
                (Some(_), None) => self.is_changed = true,
                // The type did not have it when it was read, although it is stored: a rename, or a field that is
                // skipped if empty.
                (None, Some(after)) => {
                    let value = self.replace(&value, after);
                    result.insert(name, value);
                }
                (None, None) => result.insert(name, value),
            }
        }
        for (name, value) in after {
            // A property that the type has although it is not stored, such as a default, is written only if it changed.
            if before.get(&name) != Some(&value) {
                self.is_changed = true;
                result.insert(name, value);
            }
        }
        result
    }

    /// `stored` and `before` have the same elements at the same indexes.
    fn array(&mut self, stored: Vec<Json>, before: &[Json], after: Vec<Json>) -> Vec<Json> {
        let mut slots: Vec<Option<Json>> = stored.into_iter().map(Some).collect();
        let stored_count = slots.len();
        // Match unchanged elements first, so that an element that merely moved is not taken by another with its id.
        let unchanged: Vec<Option<usize>> = after
            .iter()
            .scan(vec![false; before.len()], |used, after| {
                let index = find_free(used, |index| before.get(index) == Some(after));
                Some(index)
            })
            .collect();
        // Elements that were matched as unchanged are taken.
        let mut used: Vec<bool> =
            (0..before.len()).map(|index| unchanged.contains(&Some(index))).collect();
        let mut result = Vec::with_capacity(after.len());
        for (position, (after, unchanged)) in after.into_iter().zip(unchanged).enumerate() {
            let source = match (unchanged, after.get("id")) {
                (Some(index), _) => Some(index),
                (None, Some(id)) => find_free(&mut used, |index| {
                    before.get(index).and_then(|before| before.get("id")) == Some(id)
                }),
                (None, None) => None,
            };
            // A new element, or one that has moved.
            self.is_changed |= source != Some(position);
            let stored = source.and_then(|index| slots.get_mut(index)).and_then(Option::take);
            let before = source.and_then(|index| before.get(index));
            result.push(match (stored, before) {
                (Some(stored), Some(before)) => self.value(stored, before, after),
                _ => after,
            });
        }
        self.is_changed |= result.len() != stored_count;
        result
    }
}

/// Finds the first unused index that matches, and marks it as used.
fn find_free(used: &mut [bool], matches: impl Fn(usize) -> bool) -> Option<usize> {
    let index =
        (0..used.len()).find(|index| used.get(*index) == Some(&false) && matches(*index))?;
    if let Some(slot) = used.get_mut(index) {
        *slot = true;
    }
    Some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stored: &str, before: &str, after: &str, expected: &str) {
        let parse = |text: &str| Json::parse(text.as_bytes()).unwrap();
        let merged = merge(parse(stored), &parse(before), parse(after));
        let expected = parse(expected);
        assert_eq!(merged.item.to_string(), expected.to_string(), "{stored} {before} {after}");
        assert_eq!(merged.is_changed, parse(stored) != expected, "{stored} {before} {after}");
    }

    #[test]
    fn unknown_properties_keep_their_position() {
        check(r#"{"x":1,"a":1,"_ts":5}"#, r#"{"a":1}"#, r#"{"a":2}"#, r#"{"x":1,"a":2,"_ts":5}"#);
    }

    #[test]
    fn known_properties_that_are_gone_are_removed() {
        check(r#"{"a":1,"b":2,"x":3}"#, r#"{"a":1,"b":2}"#, r#"{"a":1}"#, r#"{"a":1,"x":3}"#);
    }

    #[test]
    fn new_properties_are_appended() {
        check(r#"{"a":1,"x":3}"#, r#"{"a":1}"#, r#"{"a":1,"b":2}"#, r#"{"a":1,"x":3,"b":2}"#);
    }

    #[test]
    fn a_default_that_was_never_stored_is_not_written() {
        check(r#"{"a":1}"#, r#"{"a":1,"d":0}"#, r#"{"a":2,"d":0}"#, r#"{"a":2}"#);
        check(r#"{"a":1}"#, r#"{"a":1,"d":0}"#, r#"{"a":1,"d":7}"#, r#"{"a":1,"d":7}"#);
    }

    #[test]
    fn nested_objects_are_merged() {
        check(
            r#"{"o":{"a":1,"x":9},"n":1.0}"#,
            r#"{"o":{"a":1}}"#,
            r#"{"o":{"a":2}}"#,
            r#"{"o":{"a":2,"x":9},"n":1.0}"#,
        );
    }

    #[test]
    fn array_elements_are_matched_by_value_or_id() {
        check(
            r#"[{"id":1,"x":"one"},{"id":2,"x":"two"},{"id":3,"x":"three"}]"#,
            r#"[{"id":1},{"id":2},{"id":3}]"#,
            r#"[{"id":3},{"id":2,"new":true},{"id":4}]"#,
            r#"[{"id":3,"x":"three"},{"id":2,"x":"two","new":true},{"id":4}]"#,
        );
    }

    #[test]
    fn equal_elements_are_each_matched_once() {
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
