//! Queries that cannot be run say where they are wrong and what to do.

use super::ask::{ask, store};

fn check(words: &[&str], expected: &[&str]) {
    let said = ask(&store(), words);
    assert_eq!(said.code, 2, "{said:?}");
    assert_eq!(said.out, "", "{said:?}");
    for text in expected {
        assert!(said.err.contains(text), "{text:?} is missing in\n{}", said.err);
    }
}

#[test]
fn a_syntax_error_is_pointed_at() {
    let line = "  line 2 | FORM c\n           ^^^^";
    check(&["SELECT *\nFORM c"], &["SC1001", "incorrect syntax near 'FORM'", line, "help query"]);
}

#[test]
fn every_error_of_the_text_is_told() {
    let text = "SELECT x.a, NOPE(c.b) FROM c";
    let expected = ["2 errors", "'x' could not be resolved", "'NOPE' is not a recognized"];
    check(&[text], &expected);
    check(&[text], &["^\n", "^^^^\n"]);
}

#[test]
fn values_that_are_no_json_are_refused_with_the_right_quotes() {
    check(&["--param", "a=open", "SELECT 1"], &[r#"--param 'a="open"'"#]);
    check(&["--partition-key", "k1", "SELECT 1"], &[r#"--partition-key '"k1"'"#]);
    check(&["--limit-pages", "2", "--all", "SELECT 1"], &["cannot be used with"]);
}

#[test]
fn a_partition_key_that_is_too_long_is_refused() {
    let words = ["--partition-key", "1", "--partition-key", "2", "SELECT * FROM c"];
    check(&words, &["[1,2]", "more components", "once for each path"]);
    check(&["--partition-key", "[]", "SELECT * FROM c"], &["no component", "Omit it"]);
}

#[test]
fn an_order_that_no_index_gives_is_refused_in_words() {
    check(&["SELECT * FROM c ORDER BY c.number, c.id"], &["composite index"]);
}

#[test]
fn a_name_that_does_not_exist_is_told() {
    check(&["--container", "nope", "SELECT 1"], &["the argument '--container"]);
    let folder = store();
    let store = folder.path().join("store");
    let words = ["query", "--database", "bench", "--container", "nope", "--data"];
    let words = words.iter().copied().chain([store.to_str().unwrap(), "SELECT 1"]);
    let said = crate::planisphere::planisphere(words);
    assert!(said.code == 2 && said.err.contains("nope"), "{said:?}");
}

#[test]
fn an_empty_text_is_refused() {
    check(&[""], &["SC1002"]);
}
