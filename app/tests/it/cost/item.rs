//! The prices of an item, and files that are refused.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::planisphere::{Said, planisphere};

const ITEM: &str = r#"{"id":"1","customer":"ada","tags":["x","y"],"note":{"text":"a"}}"#;

struct Files {
    folder: TempDir,
}

impl Files {
    fn new() -> Self {
        let files = Self { folder: tempfile::tempdir().unwrap() };
        files.write("item.json", ITEM);
        files
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn cost(&self, words: &[&str]) -> Said {
        let item = self.folder.path().join("item.json");
        let item = item.to_str().unwrap();
        planisphere([&["cost", "--item", item], words].concat())
    }

    fn with_policy(&self, text: &str, words: &[&str]) -> Said {
        let path = self.write("policy.json", text);
        self.cost(&[&["--policy", path.to_str().unwrap()], words].concat())
    }
}

#[test]
fn an_item_is_priced_path_by_path() {
    let said = Files::new().cost(&[]).succeeded();
    assert_eq!(
        said.out,
        "\
64 bytes, bucket of 1 KB; profile azure, model azure-2026-04

operation     RU
create      6.86
read        1.00
replace    10.67  one indexed leaf changed
patch      11.05  one operation, one indexed leaf changed
delete      6.86

indexed path  count  RU of a create
/customer/?       1            0.38
/id/?             1            0.38
/note/text/?      1            0.38
/tags/[]/?        2            0.76

Paths that no query filters, joins or orders by can be excluded. This saves:
exclude       leaves  per create or delete  per change of all
/tags/*            2                  0.76               1.52
/tags/[]/?         2                  0.76               1.52
/customer/?        1                  0.38               0.76
/note/*            1                  0.38               0.76
/note/text/?       1                  0.38               0.76
"
    );
}

#[test]
fn a_policy_and_a_profile_change_the_prices() {
    let files = Files::new();
    let policy = r#"{"excludedPaths":[{"path":"/*"}]}"#;
    let said = files.with_policy(policy, &["--profile", "native"]).succeeded();
    for line in ["create     5.33", "replace    5.33  one", "patch      5.71", "delete     5.33"] {
        assert!(said.out.contains(line), "{line}: {said:?}");
    }
    assert!(said.out.contains("nothing can be excluded"), "{said:?}");
    let container = format!(
        r#"{{"id":"c","partitionKey":{{"paths":["/customer"],"kind":"Hash"}},"indexingPolicy":{policy}}}"#
    );
    let same = files.with_policy(&container, &["--profile", "native"]).succeeded();
    assert_eq!(same.out, said.out);
    let next = files.write("next.json", &ITEM.replace("ada", "bob"));
    let said = files.cost(&["--replace-with", next.to_str().unwrap()]).succeeded();
    assert!(said.out.contains("replace    10.67  with the replacement given"), "{said:?}");
}

#[test]
fn the_same_comes_as_json() {
    let said = Files::new().cost(&["--json"]).succeeded();
    let json = model::Json::parse(said.out.as_bytes()).unwrap();
    let operations = json.get("operations").unwrap().as_array().unwrap();
    let names: Vec<&str> =
        operations.iter().map(|one| one.get("operation").unwrap().as_str().unwrap()).collect();
    assert_eq!(names, ["create", "read", "replace", "patch", "delete"]);
    assert_eq!(operations[0].get("charge").unwrap().to_string(), "6.8571");
    let savings = json.get("savings").unwrap().as_array().unwrap();
    assert_eq!(
        savings[0].to_string(),
        r#"{"path":"/tags/*","leaves":2,"perCreate":0.7619,"perChange":1.5238}"#
    );
    assert_eq!(json.get("model").unwrap().as_str(), Some("azure-2026-04"));
}

/// One line that names the file and the rule.
fn check(said: &Said, file: &str, words: &[&str]) {
    assert_eq!(said.code, 2, "{said:?}");
    assert_eq!(said.err.lines().count(), 1, "{said:?}");
    for words in words.iter().chain(&[file, "planisphere: "]) {
        assert!(said.err.contains(words), "{words:?} is missing in {:?}", said.err);
    }
}

#[test]
fn a_policy_that_the_service_refuses_is_refused_with_its_path() {
    let files = Files::new();
    for (policy, words) in [
        ("nothing", ["not JSON", "Correct the file"]),
        (
            r#"{"includedPaths":[{"path":"/a/?"}],"excludedPaths":[]}"#,
            ["mandatory indexing path", "\"/\""],
        ),
        (
            r#"{"includedPaths":[{"path":"/*"},{"path":"/a/?"}],"excludedPaths":[{"path":"/a/?"}]}"#,
            ["'/a/?'", "both included and excluded"],
        ),
        (r#"{"includedPaths":[{"path":"/*"},{"path":"/a["}]}"#, ["/a[", "path"]),
        (r#"{"compositeIndexes":[[{"path":"/a"}]]}"#, ["composite", "/a"]),
        (r#"{"indexingMode":"eager"}"#, ["eager", "consistent"]),
    ] {
        check(&files.with_policy(policy, &[]), "policy.json", &words);
    }
}

#[test]
fn an_item_that_the_service_refuses_is_refused_with_its_path() {
    let files = Files::new();
    let large = format!(r#"{{"id":"1","a":1,"big":"{}"}}"#, "x".repeat(2 * 1024 * 1024));
    let deep = format!(r#"{{"id":"1","deep":{}1{}}}"#, "[".repeat(129), "]".repeat(129));
    for (item, words) in [
        ("[]", ["not a JSON object", "every item is one"]),
        (r#"{"name":"a"}"#, ["/id", "every item has one"]),
        (r#"{"id":""}"#, ["/id", "empty"]),
        (large.as_str(), ["/big", "at most 2097152"]),
        (deep.as_str(), ["at byte 144", "128 levels"]),
        ("{", ["not JSON", "Correct"]),
    ] {
        files.write("item.json", item);
        check(&files.cost(&[]), "item.json", &words);
    }
    files.write("item.json", ITEM);
    let next = files.write("next.json", r#"{"id":1}"#);
    let said = files.cost(&["--replace-with", next.to_str().unwrap()]);
    check(&said, "next.json", &["replacement", "/id"]);
    check(&files.cost(&["--policy", "nowhere.json"]), "nowhere.json", &["Give a file"]);
}

#[test]
fn an_unknown_profile_names_the_choices() {
    for words in
        [&["cost", "--item", "x", "--profile", "gold"][..], &["serve", "--charge-profile", "gold"]]
    {
        let said = planisphere(words);
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.err.contains("'gold' is unknown; use azure or native"), "{said:?}");
    }
    let said = planisphere(["serve", "--consistency", "Perfect"]);
    assert!(said.code == 2 && said.err.contains("use Strong, BoundedStaleness"), "{said:?}");
    let said = planisphere(["cost"]);
    assert!(said.code == 2 && said.err.contains("--item <FILE>"), "{said:?}");
}
