//! Putting one query to the binary: by parameters, by partition key, from standard input.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::planisphere::{BINARY, Said, filled, planisphere};

/// A store with the container `bench/items`: ids `i0` to `i299`, partition keys `k0` to `k6`, numbers 0 to 299.
pub(super) fn store() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    filled(&folder.path().join("store"));
    folder
}

/// Asks `bench/items` of a store.
pub(super) fn ask(folder: &TempDir, words: &[&str]) -> Said {
    planisphere(
        named(&folder.path().join("store")).iter().map(String::as_str).chain(words.iter().copied()),
    )
}

pub(super) fn named(store: &Path) -> Vec<String> {
    let words = ["query", "--database", "bench", "--container", "items", "--data"];
    words.into_iter().map(str::to_owned).chain([store.to_str().unwrap().to_owned()]).collect()
}

/// Asks, and expects these lines.
pub(super) fn check(folder: &TempDir, words: &[&str], expected: &[&str]) {
    let said = ask(folder, words).succeeded();
    assert_eq!(said.out.lines().collect::<Vec<_>>(), expected, "{said:?}");
}

#[test]
fn rows_are_json_lines_where_no_terminal_is() {
    let store = store();
    let text = "SELECT c.id, c.number FROM c WHERE c.number IN (3, 1) ORDER BY c.number";
    check(&store, &[text], &[r#"{"id":"i1","number":1}"#, r#"{"id":"i3","number":3}"#]);
}

#[test]
fn parameters_are_json_with_or_without_their_sign() {
    let store = store();
    let text = "SELECT VALUE c.number FROM c WHERE c.id = @id OR c.number = @n ORDER BY c.number";
    check(&store, &["--param", r#"id="i7""#, "--param", "@n=5", text], &["5", "7"]);
}

#[test]
fn a_partition_key_leaves_one_logical_partition() {
    let store = store();
    let text = "SELECT VALUE COUNT(1) FROM c";
    check(&store, &[text], &["300"]);
    check(&store, &["--partition-key", r#""k0""#, text], &["43"]);
    check(&store, &["--partition-key", r#"["k6"]"#, text], &["42"]);
    check(&store, &["--partition-key", r#""none""#, text], &["0"]);
}

#[test]
fn a_hierarchical_partition_key_is_given_part_by_part_or_as_an_array() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("items.jsonl");
    let key = r#"{"paths":["/a","/b"],"kind":"MultiHash","version":2}"#;
    let mut lines = format!(
        "{{\"planisphereExport\":1,\"container\":{{\"id\":\"items\",\"partitionKey\":{key}}}}}\n"
    );
    for number in 0..12 {
        let (a, b) = (number % 2, number % 3);
        lines += &format!("{{\"id\":\"{number}\",\"a\":\"a{a}\",\"b\":{b}}}\n");
    }
    std::fs::write(&file, lines).unwrap();
    let (data, file) = (folder.path().join("store"), file.to_str().unwrap().to_owned());
    let data = data.to_str().unwrap();
    let named = ["--database", "bench", "--container", "items"];
    planisphere([&["import", "--data", data, "--file", &file][..], &named].concat()).succeeded();
    let text = "SELECT VALUE COUNT(1) FROM c";
    check(&folder, &["--partition-key", r#""a1""#, "--partition-key", "2", text], &["2"]);
    check(&folder, &["--partition-key", r#"["a1",2]"#, text], &["2"]);
    check(&folder, &["--partition-key", r#""a1""#, text], &["6"]);
}

#[test]
fn the_text_may_come_from_standard_input() {
    let store = store();
    let mut child = Command::new(BINARY)
        .args(named(&store.path().join("store")))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"SELECT VALUE MAX(c.number)\nFROM c\n").unwrap();
    let said = Said::of(&child.wait_with_output().unwrap()).succeeded();
    assert_eq!(said.out, "299\n");
}
