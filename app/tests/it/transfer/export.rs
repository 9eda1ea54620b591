//! Exports in their two forms.

use super::ground::Ground;

#[test]
fn an_array_can_be_read_back() {
    let ground = Ground::new();
    let rows: String =
        (0..2500).map(|number| format!("i{number},k{},{number}\n", number % 3)).collect();
    ground.import("in.csv", &format!("id,kind,n\n{rows}"), &[]).succeeded();
    let out = ground.text("out.json");
    let said = ground.run("export", &["--format", "json", "--out", &out, "--resume"]).succeeded();
    assert!(said.err.contains("exported 2 500 items"), "{said:?}");
    assert!(
        !ground.path("out.json.partial").exists() && !ground.path("out.json.position").exists()
    );
    let items = model::Json::parse(&std::fs::read(&out).unwrap()).unwrap();
    assert_eq!(items.as_array().unwrap().len(), 2500);
    let other = Ground::new();
    let words = ["--file", &out, "--partition-key", "/kind"];
    other.run("import", &words).succeeded();
    let sum = "SELECT VALUE SUM(c.n) FROM c";
    assert_eq!(other.ask(sum), ground.ask(sum));
    let empty = Ground::new();
    empty.import("in.json", "[]", &[]).succeeded();
    let said = empty.run("export", &["--format", "json"]).succeeded();
    assert_eq!(model::Json::parse(said.out.as_bytes()).unwrap().to_string(), "[]");
}

#[test]
fn a_failed_export_leaves_nothing_behind() {
    let ground = Ground::new();
    ground.import("in.json", "[]", &[]).succeeded();
    let out = ground.text("out.jsonl");
    let data = ground.text("data");
    let words =
        ["export", "--data", &data, "--database", "shop", "--container", "no", "--out", &out];
    let said = crate::planisphere::planisphere(words);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(!ground.path("out.jsonl.partial").exists() && !ground.path("out.jsonl").exists());
}
