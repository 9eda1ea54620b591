//! Descriptions of plans.

use model::{IndexingPolicy, Json};
use query::plan::access::{Indexes, describe_plan, plan_access};

use super::bound;

const POLICY: &str = r#"{"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/x/?"}],
    "compositeIndexes":[[{"path":"/a"},{"path":"/b","order":"descending"}]]}"#;

fn check(text: &str, expected: &[&str]) {
    let policy = IndexingPolicy::from_json(&Json::parse(POLICY.as_bytes()).unwrap()).unwrap();
    let indexes = Indexes::new(&policy);
    let (tree, query) = bound(text);
    let plan = plan_access(&query, &indexes).unwrap();
    assert_eq!(describe_plan(&tree, &query, &plan, &indexes), expected, "{text}");
}

#[test]
fn a_lookup_names_its_path_and_values() {
    let exact = "nothing is left to ask of an item that was found";
    check(
        "SELECT * FROM c WHERE c.n > 10 AND c.n <= 20",
        &["items are found by terms of /n/?: above 10 up to 20", exact],
    );
    check(
        "SELECT * FROM c WHERE c.n IN (1, 'a', null)",
        &[r#"items are found by terms of /n/?: null or 1 or "a""#, exact],
    );
    check(
        "SELECT * FROM c WHERE IS_NUMBER(c.n) OR NOT IS_DEFINED(c.n)",
        &["items are found by terms of /n/?: no value or any number", exact],
    );
}

#[test]
fn a_filter_without_terms_is_listed_as_it_was_written() {
    check(
        "SELECT * FROM c WHERE c.x = 1 AND c.n = 2",
        &["items are found by terms of /n/?: 2", "asked of each item: (c.x = 1)"],
    );
    check(
        "SELECT * FROM c WHERE c.x = 1",
        &[
            "items are read one after the other: no term finds them",
            "asked of each item: (c.x = 1)",
        ],
    );
    check(
        "SELECT * FROM c WHERE false",
        &[
            "no item can satisfy the filter: nothing is read",
            "nothing is left to ask of an item that was found",
        ],
    );
}

#[test]
fn several_lookups_are_listed() {
    check(
        "SELECT * FROM c WHERE c.n = 1 OR c.m = true",
        &[
            "items are in one of these:",
            "  items are found by terms of /n/?: 1",
            "  items are found by terms of /m/?: true",
            "nothing is left to ask of an item that was found",
        ],
    );
}

#[test]
fn an_order_names_the_index_it_comes_from() {
    check(
        "SELECT * FROM c ORDER BY c.n DESC",
        &["rows come in the order of the terms of /n/?, backwards: any value or none"],
    );
    check(
        "SELECT * FROM c WHERE c.a = 1 ORDER BY c.a, c.b DESC",
        &[
            "items are found by terms of /a/?: 1",
            "nothing is left to ask of an item that was found",
            "rows come in the order of the composite index (/a, /b DESC): 1, any value or none",
        ],
    );
}

#[test]
fn index_only_results_are_described() {
    check(
        "SELECT VALUE MAX(c.n) FROM c",
        &["the last term of /n/? is the answer: no item need be read"],
    );
}
