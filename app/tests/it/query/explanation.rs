//! Plan and counts in words, beside the rows.

use super::ask::{ask, store};

#[test]
fn an_explanation_stands_beside_the_rows() {
    let store = store();
    let text = "SELECT VALUE c.number FROM c WHERE c.number < 5 ORDER BY c.number";
    let said = ask(&store, &["--explain", text]).succeeded();
    assert_eq!(said.out, "0\n1\n2\n3\n4\n");
    for words in ["Plan\n", "partition keys", "physical partitions", "/number/?", "Counts\n"] {
        assert!(said.err.contains(words), "{words:?} is missing in\n{}", said.err);
    }
    let charge =
        "Charge\n  2.2500 RU  base: 1\n  0.4300 RU  firstIndexUse: 1\n  0.1050 RU  lookups: 1\n";
    assert!(said.err.contains(charge) && said.err.contains("loaded: 5 items"), "{}", said.err);
    for words in ["5 in 1 page\n", "terms read", "items loaded", " RU", "time, total"] {
        assert!(said.err.contains(words), "{words:?} is missing in\n{}", said.err);
    }
}

#[test]
fn metrics_are_told_without_the_plan() {
    let store = store();
    let said = ask(&store, &["--metrics", "SELECT VALUE COUNT(1) FROM c"]).succeeded();
    assert_eq!(said.out, "300\n");
    assert!(said.err.starts_with("Counts\n") && said.err.contains("1 in 1 page\n"), "{said:?}");
}

#[test]
fn nothing_is_told_beside_json_lines() {
    let store = store();
    assert_eq!(ask(&store, &["SELECT VALUE COUNT(1) FROM c"]).succeeded().err, "");
}
