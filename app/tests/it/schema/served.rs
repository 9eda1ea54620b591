//! The same against a running server.

use super::ground::{Ground, SEED, SHOP};
use crate::planisphere::planisphere;
use crate::serve::{start, terminate, text};

#[test]
fn a_schema_is_applied_checked_changed_and_exported_over_http() {
    let (server, ready) = start(&["--memory"]);
    let ground = Ground::behind(&text(&ready, "endpoint"));
    let seed = ground.write("main.tf", SEED);
    assert_eq!(ground.run("check", &seed, &[]).code, 1);
    ground.run("apply", &seed, &["--yes"]).succeeded();
    let said = ground.run("check", &seed, &[]).succeeded();
    assert!(said.out.ends_with("Nothing to do: 5 as declared.\n"), "{said:?}");

    let changed = SEED.replacen("2592000", "60", 1).replacen("400", "500", 1);
    let changed = ground.write("changed.tf", &changed);
    let said = ground.run("apply", &changed, &["--yes"]).succeeded();
    for line in [
        "~ container db/notification_events\n    default_ttl: 2592000 s (30 days) -> 60 s\n      none of 0 items",
        "~ container db/notification_events: throughput 400 RU/s -> 500 RU/s\n",
    ] {
        assert!(said.out.contains(line), "{said:?}");
    }
    ground.run("check", &changed, &[]).succeeded();

    for (form, name) in [("toml", "out.toml"), ("terraform", "out.tf"), ("arm", "out.json")] {
        let exported = ground.export(form, name);
        ground.run("check", &exported, &[]).succeeded();
    }
    assert_eq!(terminate(server), Some(0));
    let said = ground.run("check", &seed, &[]);
    assert_eq!(said.code, 2, "nobody answers: {said:?}");
}

const SCRIPTS: &str = r#"
[database.shop.container.orders]
partition_key = "/customer"

[database.shop.container.orders.procedure.hello]
body = "function hello(name) { getContext().getResponse().setBody('Hello ' + name); }"

[database.shop.container.orders.trigger.stamp]
type = "pre"
operation = "create"
body = "function stamp() {}"

[database.shop.container.orders.function.lower]
file = "lower.js"
"#;

/// Applies scripts, changes one and exports them.
fn check_scripts(ground: &Ground) {
    ground.write("lower.js", "text => text.toLowerCase()\n");
    let file = ground.write("scripts.toml", SCRIPTS);
    let said = ground.run("apply", &file, &["--yes"]).succeeded();
    assert!(said.out.contains("+ procedure hello of shop/orders\n"), "{said:?}");
    let said = ground.run("check", &file, &[]).succeeded();
    assert!(said.out.ends_with("Nothing to do: 5 as declared.\n"), "{said:?}");
    let changed = ground.write("changed.toml", &SCRIPTS.replace("Hello", "Goodbye"));
    let said = ground.run("check", &changed, &[]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(
        said.out.contains("~ procedure hello of shop/orders\n    text: 1 -> 1 lines"),
        "{said:?}"
    );
    ground.run("apply", &changed, &["--yes"]).succeeded();
    for (form, name) in [("toml", "out.toml"), ("terraform", "out.tf"), ("arm", "out.json")] {
        let exported = ground.export(form, name);
        let said = ground.run("check", &exported, &[]).succeeded();
        assert!(said.out.ends_with("Nothing to do: 5 as declared.\n"), "{said:?}");
    }
}

#[test]
fn scripts_of_a_schema_are_applied_and_exported_over_http_and_run() {
    let (server, ready) = start(&["--memory"]);
    let endpoint = text(&ready, "endpoint");
    check_scripts(&Ground::behind(&endpoint));
    let words = ["script", "run", "shop/orders", "hello", "\"Ann\"", "--partition-key", "\"a\""];
    let said = planisphere(words.into_iter().chain(["--endpoint", &endpoint])).succeeded();
    assert_eq!(said.out, "\"Goodbye Ann\"\n");
    assert_eq!(terminate(server), Some(0));
}

#[test]
fn scripts_of_a_schema_are_applied_and_exported_in_a_folder() {
    check_scripts(&Ground::new());
}

#[test]
fn effects_are_counted_over_http_and_what_the_library_cannot_do_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let ground = Ground::new();
    let items =
        (1..=3).map(|id| format!("{{\"id\":\"{id}\",\"customer\":\"c{id}\",\"ttl\":-1}}\n"));
    let key = r#"{"paths":["/customer"],"kind":"Hash","version":2}"#;
    let head = format!(
        "{{\"planisphereExport\":1,\"container\":{{\"id\":\"orders\",\"partitionKey\":{key}}}}}\n"
    );
    let file = ground.write("orders.jsonl", &(head + &items.collect::<String>()));
    let words =
        ["import", "--database", "shop", "--container", "orders", "--data", &data, "--file", &file];
    planisphere(words).succeeded();

    let (server, ready) = start(&["--data", &data]);
    let ground = Ground::behind(&text(&ready, "endpoint"));
    let other = format!("{SHOP}default_ttl = 1\nindexing.excluded = [\"/note/?\"]\n");
    let other = ground.write("other.toml", &other);
    let said = ground.run("plan", &other, &[]).succeeded();
    assert!(said.out.contains("none of 3 items expires at once"), "{said:?}");
    assert!(said.out.contains("3 items are indexed again"), "{said:?}");
    ground.run("apply", &other, &["--yes"]).succeeded();
    ground.run("check", &other, &[]).succeeded();

    for (name, throughput) in
        [("manual", "throughput = 500"), ("scaled", "autoscale_max_throughput = 4000")]
    {
        let shared = ground.write("shared.toml", &format!("[database.{name}]\n{throughput}\n"));
        ground.run("apply", &shared, &["--yes"]).succeeded();
        ground.run("check", &shared, &[]).succeeded();
    }
    let scaled = SHOP.replace("throughput = 400", "autoscale_max_throughput = 4000");
    let scaled = ground.write("scaled.toml", &scaled);
    let said = ground.run("plan", &scaled, &[]).succeeded();
    assert!(said.out.contains("cannot switch between manual and autoscale"), "{said:?}");
    assert_eq!(terminate(server), Some(0));
}
