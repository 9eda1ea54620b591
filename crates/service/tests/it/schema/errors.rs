//! Errors in files: all reported at once, each with its line.

use service::schema::SchemaReadOptions;

use super::fixture::read;

fn check(name: &str, text: &str, expected: &[&str]) {
    let report = read(name, text, &SchemaReadOptions::default()).unwrap_err();
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{report}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line:?} does not begin with {expected:?}");
    }
}

/// A container of Terraform with more arguments, from line 5 on.
fn container(more: &str) -> String {
    format!(
        "resource \"azurerm_cosmosdb_sql_container\" \"c\" {{\n  name = \"c\"\n  database_name = \"d\"\n  \
         partition_key_paths = [\"/k\"]\n{more}\n}}\n"
    )
}

#[test]
fn terraform_that_is_not_understood() {
    check("main.tf", "resource \"a\" \"b\" {\n  x = \n}\n", &["main.tf:2: this is no HCL"]);
    check(
        "main.tf",
        &container("  ttl = 5\n  default_ttl = \"soon\""),
        &[
            "main.tf:5: azurerm_cosmosdb_sql_container.c knows no 'ttl'; it knows name, ",
            "main.tf:6: azurerm_cosmosdb_sql_container.c: 'default_ttl' is a whole number, not \"soon\"",
        ],
    );
    check(
        "main.tf",
        &container("  default_ttl = 0"),
        &["main.tf:5: The input ttl '0' is invalid."],
    );
    check(
        "main.tf",
        &container("  throughput = 450"),
        &["main.tf:5: The offer should have valid throughput values"],
    );
    check(
        "main.tf",
        &container("  throughput = 400\n  autoscale_settings {\n    max_throughput = 4000\n  }"),
        &["main.tf:7: throughput is given twice"],
    );
}

#[test]
fn references_and_blocks_of_terraform_that_are_not_understood() {
    check(
        "main.tf",
        &container("  throughput = var.nothing"),
        &["main.tf:5: no variable is named 'nothing'"],
    );
    check(
        "main.tf",
        &container("  default_ttl = azurerm_thing.other.seconds"),
        &["main.tf:5: this depends on azurerm_thing.other, which is not in these files"],
    );
    check(
        "main.tf",
        &container("  default_ttl = local.a\n}\nlocals {\n  a = local.b\n  b = local.a"),
        &["main.tf:9: local.a depends on itself"],
    );
    check(
        "main.tf",
        &container("  default_ttl = cidrhost(1, 2)"),
        &["main.tf:5: undefined function `cidrhost`"],
    );
    check(
        "main.tf",
        &container("  indexing_policy {\n    dynamic \"included_path\" {\n    }\n  }"),
        &["main.tf:6: azurerm_cosmosdb_sql_container.c: a 'dynamic' block has no 'content'"],
    );
    check(
        "main.tf",
        &container("  indexing_policy {\n    included_path {\n      path = \"a\"\n    }\n  }"),
        &["main.tf:5: "],
    );
    check(
        "main.tf",
        &(container("") + &container("")),
        &["main.tf:8: the container 'd/c' is declared twice, first at main.tf:2"],
    );
    check(
        "main.tf",
        "resource \"azurerm_cosmosdb_sql_container\" \"c\" {\n  database_name = \"d\"\n}\n",
        &["main.tf:1: azurerm_cosmosdb_sql_container.c has no 'name'"],
    );
    check(
        "main.tf",
        &container("  partition_key_path = \"/k\""),
        &["main.tf:5: partition_key_path and partition_key_paths are both given"],
    );
}

#[test]
fn toml_that_is_not_understood() {
    check("s.toml", "[database.a\n", &["s.toml:1: this is no TOML"]);
    check(
        "s.toml",
        "databse = 1\n[database.a]\nthruput = 400\n",
        &[
            "s.toml:1: the file knows no 'databse'; it knows database",
            "s.toml:3: database 'a' knows no 'thruput'; it knows throughput, ",
        ],
    );
    check(
        "s.toml",
        "[database.a.container.c]\npartition_key = 5\n\n[database.a.container.d]\nthroughput = \"x\"\n",
        &[
            "s.toml:2: The partition key path 5 is invalid",
            "s.toml:4: container 'a/d' has no partition_key",
            "s.toml:5: throughput is a whole number, not of type string",
        ],
    );
    check(
        "s.toml",
        "[database.a.container.c]\npartition_key = \"/k\"\n[database.a.container.c]\n",
        &["s.toml:3: this is no TOML: "],
    );
    check(
        "s.toml",
        "[database.a.container.c]\npartition_key = \"/k\"\nindexing.included = [\"/a/?\"]\n",
        &["s.toml:3: The special mandatory indexing path"],
    );
    check("s.toml", "[database.\"a/b\"]\n", &["s.toml:1: "]);
}

#[test]
fn templates_that_are_not_understood() {
    check("t.json", "{\n  \"resources\": [\n    {,}\n  ]\n}", &["t.json:3: this is no JSON"]);
    check("t.json", "{}", &["t.json:1: this is no template: it has no 'resources'"]);
    let template = |name: &str, resource: &str| {
        format!(
            "{{\"resources\": [\n{{\"type\": \"Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers\",\n\
             \"name\": \"{name}\",\n\"properties\": {{\"resource\": {{\n{resource}\n}}}}}}]}}"
        )
    };
    let key = "\"partitionKey\": {\"paths\": [\"/k\"]}";
    check(
        "t.json",
        &template("acc/d/c", &format!("\"id\": \"c\", {key},\n\"ttl\": 5")),
        &["t.json:6: a container knows no 'ttl'; it knows id, partitionKey, "],
    );
    check(
        "t.json",
        &template("acc/d/c", &format!("\"id\": \"c\", {key},\n\"defaultTtl\": \"x\"")),
        &["t.json:6: The input ttl 'x' is invalid."],
    );
    check(
        "t.json",
        &template("acc/d/c", &format!("\"id\": \"[guid('c')]\", {key}")),
        &["t.json:5: the function 'guid' is not known here"],
    );
    check(
        "t.json",
        &template("acc/d/c", &format!("\"id\": \"b\", {key}")),
        &["t.json:5: the id \"b\" differs from 'c', the end of the name"],
    );
    check(
        "t.json",
        &template("[concat('acc/', parameters('d'), '/c')]", &format!("\"id\": \"c\", {key}")),
        &["t.json:3: the parameter 'd' has no value; give it in the file of --parameters"],
    );
    check(
        "t.json",
        &template("d/c", key),
        &["t.json:3: the name of this resource has 2 parts, not 3"],
    );
}

#[test]
fn files_of_no_known_form() {
    check("a.yaml", "x", &[""]);
    let report = read("main.bicep", "x", &SchemaReadOptions::default()).unwrap_err();
    assert!(report.contains("az bicep build"), "{report}");
    let report = read("main.tf.json", "{}", &SchemaReadOptions::default()).unwrap_err();
    assert!(report.contains("Terraform in JSON"), "{report}");
    let options = SchemaReadOptions {
        variables: vec![("x".into(), "1".into())],
        ..SchemaReadOptions::default()
    };
    let report = read("main.tf", "", &options).unwrap_err();
    assert!(report.contains("no variable is named 'x'"), "{report}");
}
