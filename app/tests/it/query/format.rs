//! What rows look like.

use model::Json;

use super::ask::{ask, check, store};

#[test]
fn a_table_has_columns_and_numbers_to_the_right() {
    let store = store();
    let text = "SELECT c.id, c.number, c.none FROM c WHERE c.number IN (7, 123) ORDER BY c.number";
    let expected = ["id    number", "────  ──────", "i7         7", "i123     123"];
    check(&store, &["--format", "table", text], &expected);
}

#[test]
fn a_table_keeps_within_its_width_and_says_what_is_missing() {
    let store = store();
    let text =
        "SELECT 'a long sentence that goes on and on' AS text, c.id FROM c WHERE c.number = 7";
    let said = ask(&store, &["--format", "table", "--width", "20", text]).succeeded();
    assert_eq!(said.out.lines().last(), Some("a long sentence…  i7"), "{said:?}");
    assert!(said.out.lines().all(|line| line.chars().count() <= 20), "{said:?}");
    assert!(said.err.contains("…") && said.err.contains("--format jsonl"), "{said:?}");
    assert!(said.err.contains("1 row, "), "{said:?}");
}

#[test]
fn a_whole_item_is_shown_without_its_system_properties_unless_asked_for_as_json() {
    let store = store();
    let text = "SELECT * FROM c WHERE c.number = 7";
    let said = ask(&store, &["--format", "table", text]).succeeded();
    assert_eq!(said.out.lines().next(), Some("id  partitionKey  number"), "{said:?}");
    assert!(said.err.contains("system properties are omitted"), "{said:?}");
    assert!(ask(&store, &[text]).succeeded().out.contains("_etag"));
}

#[test]
fn json_is_one_array_over_all_pages() {
    let store = store();
    let text = "SELECT VALUE c.number FROM c ORDER BY c.number";
    let said = ask(&store, &["--format", "json", "--page-items", "7", text]).succeeded();
    let rows = Json::parse(said.out.as_bytes()).unwrap();
    let numbers: Vec<_> = rows.as_array().unwrap().iter().map(|row| row.as_i64()).collect();
    assert_eq!(numbers, (0..300).map(Some).collect::<Vec<_>>());
    let text = "SELECT * FROM c WHERE false";
    check(&store, &["--format", "json", text], &["[]"]);
}
