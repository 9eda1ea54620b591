//! Files of real projects: modules, dynamic blocks, loops, conditions, linked templates, and what cannot be read.

use service::schema::{Schema, SchemaReadOptions};

use super::fixture::{read, report};

/// A folder with files, also in folders below it.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// What is read of a project: one word per database and container, with throughput and composite indexes.
fn names(
    project: &tempfile::TempDir,
    start: &str,
    options: &SchemaReadOptions,
) -> Result<String, String> {
    let path =
        if start.is_empty() { project.path().to_owned() } else { project.path().join(start) };
    let read = report(Schema::from_path(&path, options), project.path())?;
    let mut words = Vec::new();
    for database in read.schema.databases() {
        let throughput = |it: Option<client::Throughput>| {
            it.map(|it| format!(":{}", it.highest())).unwrap_or_default()
        };
        words.push(format!("{}{}", database.id(), throughput(database.throughput())));
        for container in database.containers() {
            words.push(format!(
                "{}/{}{}",
                database.id(),
                container.id(),
                throughput(container.throughput())
            ));
        }
    }
    Ok(words.join(" "))
}

const MODULE: &str = r#"
variable "database" { type = string }
variable "account" { type = string }
variable "containers" {
  type = map(object({ key = string, composite = optional(list(list(string)), []) }))
}
variable "throughput" { default = 400 }

resource "azurerm_cosmosdb_sql_database" "this" {
  name         = var.database
  account_name = var.account
  throughput   = var.throughput
}

resource "azurerm_cosmosdb_sql_container" "this" {
  for_each            = var.containers
  name                = each.key
  account_name        = var.account
  database_name       = azurerm_cosmosdb_sql_database.this.name
  partition_key_paths = [each.value.key]

  dynamic "unique_key" {
    for_each = toset(["/a", "/b"])
    content {
      paths = [unique_key.value]
    }
  }

  indexing_policy {
    dynamic "composite_index" {
      for_each = each.value.composite
      iterator = pair
      content {
        dynamic "index" {
          for_each = pair.value
          content {
            path  = index.value
            order = index.key == 0 ? "Ascending" : "Descending"
          }
        }
      }
    }
  }
}

output "name" { value = azurerm_cosmosdb_sql_database.this.name }
"#;

const MAIN: &str = r#"
locals {
  tenants = { a = 400, b = 800 }
}

module "tenant" {
  source     = "./modules/cosmos"
  for_each   = local.tenants
  database   = "tenant-${each.key}"
  account    = azurerm_cosmosdb_account.main.name
  throughput = each.value
  containers = { orders = { key = "/customer", composite = [["/a", "/b"]] } }
}

module "shared" {
  source     = "./modules/cosmos"
  database   = "shared"
  account    = "x"
  containers = merge({ users = { key = "/id", composite = [] } }, {})
}

resource "azurerm_cosmosdb_sql_container" "extra" {
  name                = "extra"
  account_name        = "x"
  database_name       = module.shared.name
  partition_key_paths = ["/id"]
}
"#;

#[test]
fn terraform_modules_are_read_with_their_arguments_and_outputs() {
    let project = project(&[("main.tf", MAIN), ("modules/cosmos/main.tf", MODULE)]);
    let options = SchemaReadOptions::default();
    assert_eq!(
        names(&project, "", &options).unwrap(),
        "tenant-a:400 tenant-a/orders tenant-b:800 tenant-b/orders shared:400 shared/extra shared/users"
    );
    let read = Schema::from_path(project.path(), &options).unwrap().schema;
    let orders = read.databases()[0].containers()[0].properties().to_json().to_string();
    let composite = r#"[[{"path":"/a","order":"ascending"},{"path":"/b","order":"descending"}]]"#;
    assert!(orders.contains(composite), "{orders}");
    assert!(
        orders.contains(r#"{"paths":["/a"]}"#) && orders.contains(r#"{"paths":["/b"]}"#),
        "{orders}"
    );
}

#[test]
fn a_module_that_cannot_be_read_is_an_error_unless_allowed() {
    let main = format!("{MAIN}\nmodule \"far\" {{\n  source = \"Azure/cosmos/azurerm\"\n}}\n");
    let project = project(&[("main.tf", &main), ("modules/cosmos/main.tf", MODULE)]);
    let refused = names(&project, "", &SchemaReadOptions::default()).unwrap_err();
    assert!(refused.contains("the module 'far' (its source 'Azure/cosmos/azurerm'"), "{refused}");
    assert!(refused.contains("--allow-unread"), "{refused}");
    let allowed = SchemaReadOptions { allow_unread: true, ..SchemaReadOptions::default() };
    assert!(names(&project, "", &allowed).unwrap().contains("shared/extra"));
    let missing = project_without_module();
    let refused = names(&missing, "", &SchemaReadOptions::default()).unwrap_err();
    assert!(
        refused.contains("the module 'tenant'") && refused.contains("has no .tf files"),
        "{refused}"
    );
}

fn project_without_module() -> tempfile::TempDir {
    project(&[("main.tf", MAIN)])
}

#[test]
fn an_argument_that_is_unknown_matters_only_where_it_is_used() {
    let main =
        MAIN.replace("database   = \"shared\"", "database   = azurerm_cosmosdb_account.main.name");
    let project = project(&[("main.tf", &main), ("modules/cosmos/main.tf", MODULE)]);
    let refused = names(&project, "", &SchemaReadOptions::default()).unwrap_err();
    assert!(refused.contains("this depends on azurerm_cosmosdb_account.main"), "{refused}");
}

#[test]
fn variable_files_may_be_json() {
    let main = "variable \"n\" {}\nresource \"azurerm_cosmosdb_sql_database\" \"d\" {\n  name = var.n\n}\n";
    let project = project(&[("main.tf", main), ("terraform.tfvars.json", r#"{"n": "from-json"}"#)]);
    assert_eq!(names(&project, "", &SchemaReadOptions::default()).unwrap(), "from-json");
}

/// What Bicep compiles a loop over a list, a loop over properties and a ternary to.
const LOOPS: &str = r#"{
  "parameters": {"env": {"type": "string", "defaultValue": "dev"}},
  "variables": {
    "copy": [{"name": "names", "count": 2, "input": "[format('c{0}', copyIndex('names'))]"}],
    "scaled": "[createObject('autoscaleSettings', createObject('maxThroughput', 4000))]",
    "containers": [{"name": "orders", "key": "/customer"}, {"name": "events", "key": "/id"}]
  },
  "resources": [
    {"type": "Microsoft.DocumentDB/databaseAccounts/sqlDatabases", "name": "a/shop",
     "properties": {"resource": {"id": "shop"},
       "options": "[if(equals(parameters('env'), 'prod'), variables('scaled'), createObject('throughput', 500))]"}},
    {"type": "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers",
     "copy": {"name": "each", "count": "[length(variables('containers'))]"},
     "name": "[format('a/shop/{0}', variables('containers')[copyIndex()].name)]",
     "properties": {"resource": {"id": "[variables('containers')[copyIndex()].name]",
       "partitionKey": {"paths": ["[variables('containers')[copyIndex('each')].key]"]},
       "indexingPolicy": {"copy": [{"name": "excludedPaths", "count": 2,
         "input": {"path": "[format('/skip{0}/?', copyIndex('excludedPaths', 1))]"}}]}}}},
    {"type": "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers",
     "condition": "[equals(parameters('env'), 'prod')]",
     "name": "a/shop/audit",
     "properties": {"resource": {"id": "audit", "partitionKey": {"paths": ["/id"]}}}},
    {"type": "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers",
     "name": "[concat('a/shop/', variables('names')[1])]",
     "properties": {"resource": {"id": "[variables('names')[1]]", "partitionKey": {"paths": ["/id"]}}}}
  ]
}"#;

#[test]
fn loops_and_ternaries_of_templates_are_followed() {
    let files =
        [("main.json", LOOPS), ("prod.json", r#"{"parameters": {"env": {"value": "prod"}}}"#)];
    let project = project(&files);
    let options = SchemaReadOptions::default();
    assert_eq!(
        names(&project, "main.json", &options).unwrap(),
        "shop:500 shop/orders shop/events shop/c1"
    );
    let prod = SchemaReadOptions {
        parameters: Some(project.path().join("prod.json")),
        ..SchemaReadOptions::default()
    };
    assert_eq!(
        names(&project, "main.json", &prod).unwrap(),
        "shop:4000 shop/orders shop/events shop/audit shop/c1"
    );
    let read = Schema::from_path(&project.path().join("main.json"), &options).unwrap().schema;
    let orders = read.databases()[0].containers()[0].properties().to_json().to_string();
    assert!(orders.contains("/skip1/?") && orders.contains("/skip2/?"), "{orders}");
}

#[test]
fn linked_templates_are_read_by_their_relative_path() {
    let main = r#"{"resources": [
      {"type": "Microsoft.Resources/deployments", "name": "linked",
       "copy": {"name": "each", "count": 2},
       "properties": {"templateLink": {"relativePath": "nested/cosmos.json"},
         "parameters": {"name": {"value": "[format('db{0}', copyIndex())]"}}}}]}"#;
    let nested = r#"{"parameters": {"name": {"type": "string"}}, "resources": [
      {"type": "Microsoft.DocumentDB/databaseAccounts/sqlDatabases", "name": "[concat('a/', parameters('name'))]",
       "properties": {"resource": {"id": "[parameters('name')]"}}}]}"#;
    let found = project(&[("main.json", main), ("nested/cosmos.json", nested)]);
    assert_eq!(names(&found, "main.json", &SchemaReadOptions::default()).unwrap(), "db0 db1");
    let broken = project(&[("main.json", main), ("nested/cosmos.json", "{")]);
    let refused = names(&broken, "main.json", &SchemaReadOptions::default()).unwrap_err();
    assert!(refused.starts_with("nested/cosmos.json:1: this is no JSON"), "{refused}");
    let missing = project(&[("main.json", main)]);
    let refused = names(&missing, "main.json", &SchemaReadOptions::default()).unwrap_err();
    assert!(
        refused.contains("a linked template") && refused.contains("--allow-unread"),
        "{refused}"
    );
}

#[test]
fn a_template_that_is_elsewhere_is_an_error_unless_allowed() {
    let main = r#"{"resources": [
      {"type": "Microsoft.Resources/deployments", "name": "far",
       "properties": {"templateLink": {"uri": "https://example.invalid/cosmos.json"}}}]}"#;
    let refused = read("t.json", main, &SchemaReadOptions::default()).unwrap_err();
    assert!(refused.starts_with("t.json:2: a deployment whose template"), "{refused}");
    let allowed = SchemaReadOptions { allow_unread: true, ..SchemaReadOptions::default() };
    let reading = read("t.json", main, &allowed).unwrap();
    assert!(reading.notes[0].what.contains("is not read, as allowed"), "{:?}", reading.notes);
}
