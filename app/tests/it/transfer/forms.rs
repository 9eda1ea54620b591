//! JSON lines, JSON arrays and CSV tables.

use super::ground::Ground;
use crate::serve::{start, terminate, text};

const ALL: &str = "SELECT c.id, c.kind, c.n, c.a FROM c ORDER BY c.id";

#[test]
fn the_three_forms_give_the_same_items() {
    let expected =
        [r#"{"id":"1","kind":"k","n":2.5,"a":{"b":"x, y"}}"#, r#"{"id":"2","kind":"k"}"#];
    for (name, text) in [
        (
            "in.jsonl",
            "{\"id\":\"1\",\"kind\":\"k\",\"n\":2.5,\"a\":{\"b\":\"x, y\"}}\n\n{\"id\":\"2\",\"kind\":\"k\"}",
        ),
        (
            "in.json",
            "[{\"id\":\"1\",\"kind\":\"k\",\"n\":2.5,\"a\":{\"b\":\"x, y\"}},\n{\"id\":\"2\",\"kind\":\"k\"}]",
        ),
        ("in.csv", "id,kind,n,a.b\n1,k,2.5,\"x, y\"\n2,k,,\n"),
        ("in.CSV", "\u{feff}id,kind,n,a.b\r\n1,k,2.5,\"x, y\"\r\n2,k,,\r\n"),
    ] {
        let ground = Ground::new();
        let said = ground.import(name, text, &[]).succeeded();
        assert_eq!(said.out, "imported 2 items into shop/items\n", "{name}");
        assert_eq!(ground.ask(ALL), expected, "{name}");
    }
}

#[test]
fn columns_and_properties_are_as_the_user_says() {
    let ground = Ground::new();
    let words = ["--delimiter", ";", "--types", "n=text", "--types", "a=json"];
    let id = ["--transform", "id=CONCAT(c.kind, \"-\", c.n)"];
    let text = "kind;n;a\nk;7;[1,2]\n";
    ground.import("in.csv", text, &[&words[..], &id].concat()).succeeded();
    assert_eq!(ground.ask(ALL), [r#"{"id":"k-7","kind":"k","n":"7","a":[1,2]}"#]);
}

#[test]
fn bad_lines_are_named_or_counted() {
    let ground = Ground::new();
    let text = "id,kind,n\n1,k,1\n2,k\n3,k,x\n,k,4\n5,k,5\n";
    let said = ground.import("in.csv", text, &["--types", "n=number"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("line 3 is not a valid row"), "{said:?}");
    assert!(said.err.contains("--skip-bad"), "{said:?}");
    assert_eq!(ground.ask("SELECT VALUE c.id FROM c"), [r#""1""#]);
    let said = ground.import("in.csv", text, &["--types", "n=number", "--skip-bad"]);
    assert_eq!((said.code, said.out.as_str()), (1, "imported 2 items into shop/items\n"));
    for line in [
        "left out 3 bad lines",
        "line 3 is not a valid row",
        "line 4 has 'x'",
        "line 5 is rejected",
    ] {
        assert!(said.err.contains(line), "{said:?}");
    }
    let said = ground.import("in.json", "{\"id\":\"1\"}", &[]);
    assert!(said.code == 2 && said.err.contains("is not a JSON array"), "{said:?}");
    let said = ground.import("in.csv", "id,id\n", &[]);
    assert!(said.code == 2 && said.err.contains("two columns are named 'id'"), "{said:?}");
}

#[test]
fn a_container_that_is_missing_needs_a_key() {
    let ground = Ground::new();
    let file = ground.write("in.jsonl", "{\"id\":\"1\",\"kind\":\"k\"}\n");
    let said = ground.run("import", &["--file", &file]);
    assert!(said.code == 2 && said.err.contains("--partition-key"), "{said:?}");
    ground.run("import", &["--file", &file, "--partition-key", "/kind"]).succeeded();
    let said = ground.run("import", &["--file", &file, "--partition-key", "/other"]);
    assert!(said.code == 2 && said.err.contains("another partition key"), "{said:?}");
    let said = crate::planisphere::planisphere(["export", "--database", "a", "--container", "b"]);
    assert!(said.code == 2 && said.err.contains("--endpoint"), "{said:?}");
}

#[test]
fn an_endpoint_is_a_place_like_a_folder() {
    let ground = Ground::new();
    let (server, ready) = start(&["--memory"]);
    let place = ["--connection-string", &text(&ready, "connectionString")];
    let named = ["--database", "shop", "--container", "items"];
    let file = ground.write("in.csv", "id,kind,n\n1,k,1\n2,k,2\n3,j,3\n");
    let run = |words: &[&str]| {
        let (command, rest) = words.split_first().unwrap();
        crate::planisphere::planisphere([&[*command][..], &place, &named, rest].concat())
    };
    let said = run(&["import", "--file", &file, "--partition-key", "/kind"]).succeeded();
    assert_eq!(said.out, "imported 3 items into shop/items\n");
    let out = ground.text("out.jsonl");
    run(&["export", "--out", &out, "--resume"]).succeeded();
    assert_eq!(terminate(server), Some(0));
    ground.run("import", &["--file", &out]).succeeded();
    assert_eq!(ground.ask("SELECT VALUE SUM(c.n) FROM c"), ["6"]);
}
