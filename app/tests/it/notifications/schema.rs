//! The containers as files and as steps.

use crate::planisphere::planisphere;

#[test]
fn the_seeds_terraform_comes_in_the_words_of_the_current_provider() {
    let said = planisphere(["notifications", "schema", "export", "--to", "terraform"]).succeeded();
    let container = |name: &str| {
        let begin = format!("resource \"azurerm_cosmosdb_sql_container\" \"{name}\" {{");
        let (_, rest) = said.out.split_once(&begin).unwrap();
        rest.split_once("\n}").unwrap().0.to_owned()
    };
    for (name, ttl) in [
        ("notification_events", Some("2592000")),
        ("notifications", Some("2592000")),
        ("notification_preferences", None),
        ("device_tokens", None),
    ] {
        let block = container(name);
        assert!(block.contains("partition_key_paths = [\"/userId\"]"), "{block}");
        assert!(block.contains("throughput          = 400"), "{block}");
        assert!(
            block.contains("path = \"/*\"") && block.contains("\"/\\\"_etag\\\"/?\""),
            "{block}"
        );
        let stated = block.lines().find_map(|line| line.trim().strip_prefix("default_ttl"));
        assert_eq!(stated.map(|stated| stated.trim_start_matches([' ', '='])), ttl, "{block}");
    }
    assert!(!said.out.contains("partition_key_path "), "a word the provider has dropped");
}

#[test]
fn an_export_is_a_schema_that_can_be_applied() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notifications.toml");
    let said = planisphere(["notifications", "schema", "export", "--to", "toml"]).succeeded();
    std::fs::write(&file, said.out).unwrap();
    let (file, data) = (file.to_str().unwrap(), folder.path().join("store"));
    let data = data.to_str().unwrap();
    planisphere(["schema", "apply", file, "--data", data, "--yes"]).succeeded();
    planisphere(["schema", "check", file, "--data", data]).succeeded();
    let sent = ["--user", "bob", "--type", "POST_LIKE", "--target-id", "p1"];
    planisphere([&["notifications", "send", "--data", data][..], &sent].concat()).succeeded();
    planisphere(["schema", "check", file, "--data", data]).succeeded();
}

#[test]
fn the_steps_for_the_portal_name_every_container() {
    let words = ["notifications", "schema", "steps", "--set", "Notifications:Database=social"];
    let said = planisphere(words).succeeded();
    assert_eq!(said.out.matches("New Container in social:").count(), 6, "{}", said.out);
    for words in ["Time to live: on, 2592000 seconds", "/createdAt descending", "400 RU/s"] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
}
