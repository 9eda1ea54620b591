//! Tests of partition key definitions: the JSON form, extraction, validation.

use crate::{
    Completeness, Json, PartitionKey, PartitionKeyDefinition, PartitionKeyKind,
    PartitionKeyVersion, Result,
};

fn definition(text: &str) -> Result<PartitionKeyDefinition> {
    PartitionKeyDefinition::from_json(&Json::parse(text.as_bytes()).unwrap())
}

fn check_refused(text: &str, beginning: &str) {
    let message = definition(text).unwrap_err().to_string();
    assert!(message.starts_with(beginning), "{message}");
}

#[test]
fn the_json_form_shows_the_version_only_if_given() {
    for text in [
        r#"{"paths":["/pk"],"kind":"Hash"}"#,
        r#"{"paths":["/pk"],"kind":"Hash","version":1}"#,
        r#"{"paths":["/a/b"],"kind":"Hash","version":2}"#,
        r#"{"paths":["/\"x y\""],"kind":"Hash","version":2}"#,
        r#"{"paths":["/a","/b","/c"],"kind":"MultiHash","version":2}"#,
    ] {
        assert_eq!(definition(text).unwrap().to_json().to_string(), text);
    }
    let absent = definition(r#"{"paths":["/pk"]}"#).unwrap();
    assert_eq!(
        (absent.kind(), absent.version()),
        (PartitionKeyKind::Hash, PartitionKeyVersion::V1)
    );
    // The Java library writes the version by its name.
    let named = definition(r#"{"paths":["/pk"],"kind":"Hash","version":"V2"}"#).unwrap();
    assert_eq!(named.to_json().to_string(), r#"{"paths":["/pk"],"kind":"Hash","version":2}"#);
    let single = PartitionKeyDefinition::single("/pk").unwrap();
    assert_eq!(single.to_json().to_string(), r#"{"paths":["/pk"],"kind":"Hash","version":2}"#);
}

#[test]
fn invalid_definitions_are_refused_with_a_sentence() {
    check_refused("[]", "The partition key definition must be an object; it is of type array.");
    check_refused("{}", "The partition key definition needs 'paths'");
    check_refused(r#"{"paths":[]}"#, "The partition key definition has no path");
    check_refused(r#"{"paths":[1]}"#, "The partition key path 1 is invalid");
    check_refused(
        r#"{"paths":["pk"]}"#,
        "The partition key component definition path 'pk' could not be accepted, failed near position '0'.",
    );
    check_refused(r#"{"paths":["/a","/b"],"version":2}"#, "Too many partition key paths");
    check_refused(
        r#"{"paths":["/a","/b","/c","/d"],"kind":"MultiHash","version":2}"#,
        "Too many partition key paths",
    );
    check_refused(
        r#"{"paths":["/a"],"kind":"Range"}"#,
        "The partition key kind \"Range\" is unknown",
    );
    check_refused(r#"{"paths":["/a"],"version":3}"#, "The partition key version 3 is unknown");
    check_refused(r#"{"paths":["/a"],"version":"V3"}"#, "The partition key version \"V3\"");
    let without_version = r#"{"paths":["/a","/b"],"kind":"MultiHash"}"#;
    check_refused(without_version, "The partition key definition");
    assert!(definition(without_version).unwrap_err().message().ends_with("needs version 2."));
    assert!(PartitionKeyDefinition::hierarchical(&["/a", "/\"a\""]).is_err());
}

#[test]
fn a_key_is_extracted_from_an_item() {
    let definition = PartitionKeyDefinition::hierarchical(&["/a", "/b/c", "/d"]).unwrap();
    let extract =
        |item: &str| definition.extract(&Json::parse(item.as_bytes()).unwrap()).to_string();
    assert_eq!(extract(r#"{"a":"x","b":{"c":1},"d":null}"#), r#"["x",1,null]"#);
    assert_eq!(extract(r#"{"a":true,"b":2}"#), "[true,{},{}]");
    assert_eq!(extract(r#"{"a":[],"b":{"c":{}},"d":{"e":1}}"#), "[{},{},{}]");
    assert_eq!(extract(r#"{"a":-0.0,"b":{"c":1e2},"d":"é"}"#), r#"[0,100,"é"]"#);
}

#[test]
fn components_are_counted_and_measured() {
    let definition = PartitionKeyDefinition::hierarchical(&["/a", "/b"]).unwrap();
    let valid = |text: &str, completeness| {
        definition.validate(&PartitionKey::parse(text).unwrap(), completeness).is_ok()
    };
    assert!(valid(r#"["a","b"]"#, Completeness::Full));
    assert!(!valid(r#"["a"]"#, Completeness::Full));
    assert!(valid(r#"["a"]"#, Completeness::PrefixAllowed));
    assert!(!valid("[]", Completeness::PrefixAllowed));
    assert!(!valid(r#"["a","b","c"]"#, Completeness::PrefixAllowed));

    let single = PartitionKeyDefinition::single("/a").unwrap();
    let long = |bytes: usize| PartitionKey::from("a".repeat(bytes).as_str());
    assert!(single.validate(&long(2048), Completeness::Full).is_ok());
    assert!(single.validate(&long(2049), Completeness::Full).is_err());
    let error = single.validate(&PartitionKey::default(), Completeness::Full).unwrap_err();
    assert!(error.message().starts_with(
        "The partition key supplied in x-ms-partitionkey header has fewer components than defined in the the \
         collection."
    ));
}
