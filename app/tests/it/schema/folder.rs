//! A folder of data, from nothing to a second container.

use std::path::Path;

use super::ground::{Ground, SEED, SHOP};
use crate::planisphere::{on, planisphere};

#[test]
fn the_seed_is_planned_applied_and_checked() {
    let ground = Ground::new();
    let file = ground.write("main.tf", SEED);
    let said = ground.run("plan", &file, &[]).succeeded();
    assert!(
        said.out.contains("note: azurerm_cosmosdb_sql_database.db is not in these files"),
        "{said:?}"
    );
    assert!(said.out.ends_with("5 to create, 0 to change, 0 as declared.\n"), "{said:?}");
    assert_eq!(ground.run("check", &file, &[]).code, 1);
    assert!(!ground.data().exists(), "a plan must not make a store");

    let said = ground.run("apply", &file, &[]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(
        said.err.contains("there is no terminal to ask for confirmation. Confirm with --yes."),
        "{said:?}"
    );
    assert_eq!(ground.run("check", &file, &[]).code, 1);

    let said = ground.run("apply", &file, &["--yes"]).succeeded();
    let device = "+ container db/device_tokens: partition key /userId, 400 RU/s\n";
    assert!(said.out.contains(device) && said.out.contains("\nApplied to "), "{said:?}");
    let said = ground.run("apply", &file, &[]).succeeded();
    assert!(said.out.ends_with("Nothing to do: 5 as declared.\n"), "{said:?}");
    ground.run("check", &file, &[]).succeeded();
    on("verify", &ground.data()).succeeded();

    let other = ground.write("other.tf", &SEED.replacen("2592000", "86400", 1));
    let said = ground.run("check", &other, &[]);
    assert_eq!(said.code, 1, "{said:?}");
    let change = "    default_ttl: 2592000 s (30 days) -> 86400 s (1 day)\n      none of 0 items expires at once\n";
    assert!(said.out.contains(change), "{said:?}");
}

#[test]
fn a_changed_partition_key_is_refused_and_the_printed_command_is_the_way_out() {
    let ground = Ground::new();
    let file = ground.write("shop.toml", SHOP);
    ground.run("apply", &file, &["--yes"]).succeeded();
    let key = r#"{"paths":["/customer"],"kind":"Hash","version":2}"#;
    let items = format!(
        "{{\"planisphereExport\":1,\"container\":{{\"id\":\"orders\",\"partitionKey\":{key}}}}}\n\
         {{\"id\":\"1\",\"customer\":\"ann\",\"tenant\":\"t\"}}\n\
         {{\"id\":\"2\",\"customer\":\"bob\",\"tenant\":\"t\"}}\n"
    );
    let items = ground.write("orders.jsonl", &items);
    let data = ground.data();
    let data = data.to_str().unwrap();
    let named = ["--database", "shop", "--container", "orders"];
    planisphere([&["import", "--data", data, "--file", &items][..], &named].concat()).succeeded();

    let other = ground.write("other.toml", &SHOP.replace("/customer", "/tenant"));
    let said = ground.run("apply", &other, &["--yes"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(
        said.err.contains("cannot be changed: partition key of container shop/orders"),
        "{said:?}"
    );
    let printed = said.out.lines().find(|line| line.contains("planisphere copy")).unwrap();
    let words: Vec<&str> = printed.split_whitespace().skip(1).collect();
    let expected = ["copy", "--from-data", data, "--from", "shop/orders", "--to", "shop/orders-v2"];
    assert!(words.starts_with(&expected), "{words:?}");

    let second = SHOP.replace("/customer", "/tenant").replace("orders", "orders-v2");
    let both = ground.write("both.toml", &(SHOP.to_owned() + &second));
    ground.run("apply", &both, &["--yes"]).succeeded();
    let checkpoint = ground.write("checkpoint", "");
    std::fs::remove_file(&checkpoint).unwrap();
    planisphere(words.iter().copied().chain(["--checkpoint", &checkpoint])).succeeded();
    let query = ["query", "--data", data, "--database", "shop", "--container", "orders-v2"];
    let query = [&query[..], &["--format", "json", "SELECT VALUE COUNT(1) FROM c"]].concat();
    assert_eq!(planisphere(query).succeeded().out.split_whitespace().collect::<String>(), "[2]");
    ground.run("check", &both, &[]).succeeded();
}

#[test]
fn each_form_of_export_says_what_the_folder_has() {
    let ground = Ground::new();
    let file = ground.write("main.tf", SEED);
    ground.run("apply", &file, &["--yes", "--database", "asora"]).succeeded();
    for (form, name) in [("toml", "out.toml"), ("terraform", "out.tf"), ("arm", "out.json")] {
        let exported = ground.export(form, name);
        let said = ground.run("check", &exported, &[]).succeeded();
        assert!(said.out.ends_with("Nothing to do: 5 as declared.\n"), "{said:?}");
        let said = planisphere(["schema", "export", &exported, "--to", form]).succeeded();
        assert_eq!(said.out, std::fs::read_to_string(&exported).unwrap());
    }
    let terraform = std::fs::read_to_string(ground.data().with_file_name("out.tf")).unwrap();
    assert!(terraform.contains("partition_key_paths   = [\"/userId\"]"), "{terraform}");
    let data = ground.data();
    let words = ["schema", "export", "--to", "toml", "--only", "none", "--data"];
    let said = planisphere(words.into_iter().chain([data.to_str().unwrap()])).succeeded();
    assert_eq!(said.out.trim(), "");
}

#[test]
fn errors_are_listed_with_their_lines() {
    let ground = Ground::new();
    let text = SEED.replacen("default_ttl", "ttl", 1).replacen(
        "throughput          = 400",
        "throughput = 1",
        2,
    );
    let file = ground.write("main.tf", &text);
    for subcommand in ["plan", "check", "apply"] {
        let said = ground.run(subcommand, &file, &[]);
        assert_eq!(said.code, 2, "{said:?}");
        let lines: Vec<&str> = said.err.lines().collect();
        assert!(
            lines[0].ends_with("3 errors. Correct what is listed and run it again."),
            "{said:?}"
        );
        assert_eq!(lines.len(), 4, "{said:?}");
        assert!(lines[1].contains("main.tf:7: The offer should have valid throughput"), "{said:?}");
        assert!(
            lines[2].contains("main.tf:9: ") && lines[2].contains("knows no 'ttl'"),
            "{said:?}"
        );
    }
    assert!(!ground.data().exists());
    let said = planisphere(["schema", "plan", &file]);
    assert_eq!(said.code, 2, "{said:?}");
    let file = ground.write("shop.toml", SHOP);
    let said = planisphere(["schema", "plan", &file]);
    assert!(said.code == 2 && said.err.contains("no account is given"), "{said:?}");
    let said = ground.run("plan", &file, &["--var", "x"]);
    assert!(said.code == 2 && said.err.contains("NAME=VALUE"), "{said:?}");
    let missing = Path::new(&file).with_file_name("missing.tf");
    let said = ground.run("plan", missing.to_str().unwrap(), &[]);
    assert!(said.code == 2 && said.err.contains("missing.tf cannot be read"), "{said:?}");
}
