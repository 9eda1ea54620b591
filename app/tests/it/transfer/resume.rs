//! Imports that stop half way and go on where they were.

use super::ground::Ground;

const LINES: usize = 1500;

fn lines(bad: Option<usize>) -> String {
    let line = |number: usize| match bad {
        Some(bad) if bad == number => "not json\n".to_owned(),
        _ => format!("{{\"id\":\"i{number}\",\"kind\":\"k{}\",\"n\":{number}}}\n", number % 5),
    };
    (1..=LINES).map(line).collect()
}

#[test]
fn a_stopped_import_goes_on_where_it_was() {
    let ground = Ground::new();
    let said = ground.import("in.jsonl", &lines(Some(1200)), &["--resume"]);
    assert!(said.code == 2 && said.err.contains("line 1200 is not JSON"), "{said:?}");
    assert!(ground.path("in.jsonl.position").exists());
    let said = ground.import("in.jsonl", &lines(None), &["--resume"]).succeeded();
    assert!(said.out.contains("continued after 1 024 lines"), "{said:?}");
    assert!(said.out.contains("imported 476 items"), "{said:?}");
    assert!(!ground.path("in.jsonl.position").exists());
    let sum = (LINES * (LINES + 1) / 2).to_string();
    assert_eq!(ground.ask("SELECT VALUE SUM(c.n) FROM c"), [sum]);
}

#[test]
fn a_position_that_does_not_fit_is_refused() {
    let ground = Ground::new();
    ground.import("in.jsonl", &lines(Some(1200)), &["--resume"]);
    let said = ground.import("in.jsonl", "{\"id\":\"1\",\"kind\":\"k\"}\n", &["--resume"]);
    assert!(said.code == 2 && said.err.contains("longer when the position was saved"), "{said:?}");
    ground.write("in.jsonl.position", "{");
    let said = ground.import("in.jsonl", &lines(None), &["--resume"]);
    assert!(said.code == 2 && said.err.contains("it is not a position"), "{said:?}");
    let file = ground.text("in.jsonl");
    let said = ground.run("import", &["--resume"]);
    assert!(said.code == 2 && said.err.contains("--file"), "{said:?} {file}");
}
