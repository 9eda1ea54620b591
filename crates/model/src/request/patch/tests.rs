//! Patches as clients send them: text in, text out.

use proptest::prelude::*;

use super::target::PatchTarget;
use super::*;
use crate::value::arbitrary::json;
use crate::{Json, Object, PropertyPath};

fn object(text: &str) -> Object {
    Json::parse(text.as_bytes()).unwrap().as_object().unwrap().clone()
}

fn patch(operations: &str) -> crate::Result<Patch> {
    let body = format!(r#"{{"operations":{operations}}}"#);
    let body = Json::parse(body.as_bytes()).unwrap();
    Patch::from_json(&body)
}

fn key() -> Vec<PropertyPath> {
    ["/pk", "/tenant/id"].map(|path| PropertyPath::parse(path).unwrap()).to_vec()
}

fn check(item: &str, operations: &str, expected: &str) {
    let mut item = object(item);
    patch(operations).unwrap().apply(&mut item, &key()).unwrap();
    assert_eq!(Json::Object(item).to_string(), expected);
}

fn check_refused(item: &str, operations: &str, expected: &str) {
    let mut changed = object(item);
    let error = patch(operations).unwrap().apply(&mut changed, &key()).unwrap_err();
    assert!(error.message().contains(expected), "{error}");
    assert_eq!(Json::Object(changed).to_string(), item);
}

#[test]
fn the_example_of_the_documentation() {
    check(
        r#"{"id":"e","price":455.95,"inventory":{"quantity":15},"used":false,"tags":["r-series"]}"#,
        r#"[{"op":"add","path":"/color","value":"silver"},
            {"op":"remove","path":"/used"},
            {"op":"set","path":"/price","value":355.45},
            {"op":"incr","path":"/inventory/quantity","value":10},
            {"op":"add","path":"/tags/-","value":"featured-bikes"},
            {"op":"move","from":"/color","path":"/inventory/color"}]"#,
        concat!(
            r#"{"id":"e","price":355.45,"inventory":{"quantity":25,"color":"silver"},"#,
            r#""tags":["r-series","featured-bikes"]}"#,
        ),
    );
}

#[test]
fn add_inserts_into_arrays_and_set_replaces_elements() {
    let item = r#"{"l":[1,2]}"#;
    check(item, r#"[{"op":"add","path":"/l/0","value":9}]"#, r#"{"l":[9,1,2]}"#);
    check(item, r#"[{"op":"add","path":"/l/2","value":9}]"#, r#"{"l":[1,2,9]}"#);
    check(item, r#"[{"op":"add","path":"/l/-","value":9}]"#, r#"{"l":[1,2,9]}"#);
    check(item, r#"[{"op":"set","path":"/l/0","value":9}]"#, r#"{"l":[9,2]}"#);
    check(item, r#"[{"op":"replace","path":"/l/1","value":null}]"#, r#"{"l":[1,null]}"#);
    check(item, r#"[{"op":"remove","path":"/l/0"}]"#, r#"{"l":[2]}"#);
    check(item, r#"[{"op":"increment","path":"/l/0","value":-3}]"#, r#"{"l":[-2,2]}"#);
    for (operation, number) in [("add", 3), ("set", 2), ("replace", 2)] {
        check_refused(
            item,
            &format!(r#"[{{"op":"{operation}","path":"/l/{number}","value":9}}]"#),
            &format!("For Operation(1): Index({number}) to operate on is out of array bounds"),
        );
    }
    check_refused(item, r#"[{"op":"remove","path":"/l/2"}]"#, "Index(2)");
    check_refused(item, r#"[{"op":"add","path":"/l/01","value":9}]"#, "not an index");
    check_refused(item, r#"[{"op":"add","path":"/l/x","value":9}]"#, "not an index");
}

#[test]
fn add_and_set_replace_a_property_and_create_the_last_one_only() {
    let item = r#"{"a":{"b":1},"n":2}"#;
    for name in ["add", "set"] {
        let operation = |path: &str| format!(r#"[{{"op":"{name}","path":"{path}","value":9}}]"#);
        check(item, &operation("/a/b"), r#"{"a":{"b":9},"n":2}"#);
        check(item, &operation("/a/c"), r#"{"a":{"b":1,"c":9},"n":2}"#);
        check(item, &operation("/x~1y"), r#"{"a":{"b":1},"n":2,"x/y":9}"#);
        check_refused(
            item,
            &operation("/brand/new"),
            "cannot create path recursively, no path found beyond: 'brand'.",
        );
        check_refused(item, &operation("/n/x"), "no path found beyond: 'x'.");
    }
}

#[test]
fn replace_and_remove_need_what_they_change() {
    let item = r#"{"a":{},"s":"x"}"#;
    check_refused(
        item,
        r#"[{"op":"replace","path":"/b","value":1}]"#,
        "For Operation(1): Node(/b) to be replaced is absent.",
    );
    check_refused(
        item,
        r#"[{"op":"set","path":"/c","value":1},{"op":"remove","path":"/b"}]"#,
        "For Operation(2): Node(/b) to be removed is absent.",
    );
    check_refused(item, r#"[{"op":"incr","path":"/s","value":1}]"#, "Node(/s) is not a number.");
}

#[test]
fn increments_are_exact_and_set_what_is_absent() {
    check(
        r#"{"n":9007199254740993}"#,
        r#"[{"op":"incr","path":"/n","value":1}]"#,
        r#"{"n":9007199254740994}"#,
    );
    check(r#"{"n":1}"#, r#"[{"op":"incr","path":"/n","value":0.5}]"#, r#"{"n":1.5}"#);
    check(r#"{"n":1}"#, r#"[{"op":"incr","path":"/m","value":0.5}]"#, r#"{"n":1,"m":0.5}"#);
    check(r#"{"o":{}}"#, r#"[{"op":"incr","path":"/o/m","value":2}]"#, r#"{"o":{"m":2}}"#);
    check_refused(r#"{"n":1}"#, r#"[{"op":"incr","path":"/o/m","value":2}]"#, "no path found");
    check_refused(r#"{"l":[1]}"#, r#"[{"op":"incr","path":"/l/1","value":2}]"#, "Index(1)");
}

#[test]
fn move_takes_out_and_adds() {
    let item = r#"{"a":{"b":1},"l":[1,2,3]}"#;
    check(item, r#"[{"op":"move","from":"/a/b","path":"/c"}]"#, r#"{"a":{},"l":[1,2,3],"c":1}"#);
    check(item, r#"[{"op":"move","from":"/l/0","path":"/l/2"}]"#, r#"{"a":{"b":1},"l":[2,3,1]}"#);
    check(item, r#"[{"op":"move","from":"/a","path":"/a"}]"#, item);
    check_refused(item, r#"[{"op":"move","from":"/a","path":"/a/b"}]"#, "its own child");
    check_refused(item, r#"[{"op":"move","from":"/x","path":"/y"}]"#, "is absent");
    check_refused(item, r#"[{"op":"move","from":"/x","path":"/x"}]"#, "is absent");
    check_refused(item, r#"[{"op":"move","from":"/a","path":"/x/y"}]"#, "recursively");
}

#[test]
fn id_system_properties_and_partition_key_are_out_of_reach() {
    let item = r#"{"id":"a","pk":1,"tenant":{"id":1,"name":"n"},"x":1}"#;
    for name in ["id", "_rid", "_self", "_etag", "_ts", "_attachments"] {
        check_refused(
            item,
            &format!(r#"[{{"op":"set","path":"/{name}","value":1}}]"#),
            &format!("Cannot patch system property '{name}'."),
        );
    }
    for path in ["/pk", "/pk/deep", "/tenant", "/tenant/id"] {
        let set = format!(r#"[{{"op":"set","path":"{path}","value":1}}]"#);
        check_refused(item, &set, "touches the partition key");
    }
    check_refused(item, r#"[{"op":"move","from":"/pk","path":"/y"}]"#, "partition key");
    check_refused(item, r#"[{"op":"move","from":"/x","path":"/tenant"}]"#, "partition key");
    check(
        item,
        r#"[{"op":"set","path":"/tenant/name","value":"m"}]"#,
        r#"{"id":"a","pk":1,"tenant":{"id":1,"name":"m"},"x":1}"#,
    );
}

#[test]
fn malformed_patches_are_refused() {
    for (operations, expected) in [
        ("[]", "at least one operation"),
        ("{}", "'operations'"),
        ("[1]", "operation 1 must be an object"),
        (r#"[{"path":"/a"}]"#, "needs a 'op'"),
        (r#"[{"op":"test","path":"/a"}]"#, "named 'test'"),
        (
            r#"[{"op":"add","path":"/a","value":1},{"op":"set","path":"/a"}]"#,
            "operation 2 needs a 'value'",
        ),
        (r#"[{"op":"add","value":1}]"#, "needs a 'path'"),
        (r#"[{"op":"add","path":"a","value":1}]"#, "must start with '/'"),
        (r#"[{"op":"incr","path":"/a","value":"1"}]"#, "must be a number"),
        (r#"[{"op":"move","path":"/a"}]"#, "needs a 'from'"),
    ] {
        let error = patch(operations).unwrap_err();
        assert!(error.message().contains(expected), "{error}");
    }
    let many = |count: usize| {
        format!("[{}]", vec![r#"{"op":"set","path":"/a","value":1}"#; count].join(","))
    };
    assert!(patch(&many(10)).is_ok());
    let error = patch(&many(11)).unwrap_err();
    assert!(error.message().starts_with("The number of patch operations cannot exceed 10"));
}

#[test]
fn the_condition_is_a_text() {
    let read = |condition: &str| {
        let body =
            format!(r#"{{"operations":[{{"op":"remove","path":"/a"}}],"condition":{condition}}}"#);
        Patch::from_json(&Json::parse(body.as_bytes()).unwrap())
    };
    let patch = read("\"from c where is_defined(c.a)\"").unwrap();
    assert_eq!(patch.condition(), Some("from c where is_defined(c.a)"));
    assert_eq!(read("null").unwrap().condition(), None);
    assert!(read("1").is_err());
}

fn path() -> impl Strategy<Value = PatchPath> {
    "(/(a|b|0|1|-|id|pk)){1,3}".prop_map(|text| PatchPath::parse(&text).unwrap())
}

fn value() -> impl Strategy<Value = Json> {
    prop_oneof![
        json(),
        Just(Json::parse(br#"{"a":[1,{"b":2}],"b":3}"#).unwrap()),
        Just(Json::parse(br#"[0,[1],{"a":null}]"#).unwrap()),
    ]
}

fn item() -> impl Strategy<Value = Object> {
    (value(), value()).prop_map(|(a, b)| {
        let mut item = object(r#"{"id":"i","pk":"k"}"#);
        item.insert("a", a);
        item.insert("b", b);
        item
    })
}

fn operation() -> impl Strategy<Value = PatchOperation> {
    prop_oneof![
        (path(), value()).prop_map(|(path, value)| PatchOperation::Add { path, value }),
        (path(), value()).prop_map(|(path, value)| PatchOperation::Set { path, value }),
        (path(), value()).prop_map(|(path, value)| PatchOperation::Replace { path, value }),
        path().prop_map(|path| PatchOperation::Remove { path }),
        (path(), crate::value::arbitrary::number())
            .prop_map(|(path, by)| PatchOperation::Increment { path, by }),
        (path(), path()).prop_map(|(from, path)| PatchOperation::Move { from, path }),
    ]
}

proptest! {
    #[test]
    fn a_failing_patch_leaves_the_item_and_no_patch_changes_its_identity(
        item in item(),
        operations in proptest::collection::vec(operation(), 1..5),
    ) {
        let before = Json::Object(item.clone()).to_string();
        let mut changed = item.clone();
        let outcome = Patch::new(operations, None).unwrap().apply(&mut changed, &key());
        if outcome.is_err() {
            prop_assert_eq!(Json::Object(changed).to_string(), before);
        } else {
            prop_assert_eq!(changed.get("id"), item.get("id"));
            prop_assert_eq!(changed.get("pk"), item.get("pk"));
        }
    }

    #[test]
    fn removing_what_was_added_restores_the_item(
        item in item(),
        parent in prop_oneof![Just(""), Just("/a"), Just("/b"), Just("/a/a"), Just("/b/1")],
        place in prop_oneof![Just("new"), Just("0"), Just("1")],
        value in json(),
    ) {
        let path = PatchPath::parse(&format!("{parent}/{place}")).unwrap();
        let is_replacing = match PatchTarget::find(&mut item.clone(), &path) {
            Ok(place @ PatchTarget::Property(..)) => place.value().is_some(),
            _ => false,
        };
        let add = PatchOperation::Add { path: path.clone(), value };
        let operations = vec![add, PatchOperation::Remove { path }];
        let mut changed = item.clone();
        let outcome = Patch::new(operations, None).unwrap().apply(&mut changed, &key());
        if outcome.is_ok() && !is_replacing {
            prop_assert_eq!(
                Json::Object(changed).to_string(),
                Json::Object(item).to_string()
            );
        }
    }
}
