//! Scripts in a schema: reading, planning, applying and exporting.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use client::DatabaseId;
use model::ContainerId;
use service::schema::{
    Schema, SchemaApplyError, SchemaFormat, SchemaReadOptions, ScriptSchema, ScriptSchemaKind,
    ScriptStore, ScriptStoreError,
};

use super::fixture::{Fixture, folder, path, read, report, toml};

const SHOP: &str = r#"
[database.shop.container.orders]
partition_key = "/customer"

[database.shop.container.orders.procedure.bulkDelete]
body = '''
function bulkDelete(query) {
    const text = `SELECT * FROM c WHERE c.a = "${query}"`; // '
}
'''

[database.shop.container.orders.trigger.stamp]
type = "pre"
operation = "create"
body = "function () { getContext(); }"

[database.shop.container.orders.function."to lower"]
body = "x => x.toLowerCase()"
"#;

/// Scripts in memory.
#[derive(Default)]
struct FakeScripts {
    kept: Mutex<BTreeMap<String, Vec<ScriptSchema>>>,
}

impl FakeScripts {
    fn names(&self, container: &str) -> Vec<String> {
        let kept = self.kept.lock().unwrap();
        kept.get(container).into_iter().flatten().map(|one| one.id().to_owned()).collect()
    }
}

#[async_trait]
impl ScriptStore for FakeScripts {
    async fn list(
        &self,
        database: &DatabaseId,
        container: &ContainerId,
    ) -> Result<Vec<ScriptSchema>, ScriptStoreError> {
        let kept = self.kept.lock().unwrap();
        Ok(kept.get(&format!("{database}/{container}")).cloned().unwrap_or_default())
    }

    async fn put(
        &self,
        database: &DatabaseId,
        container: &ContainerId,
        script: &ScriptSchema,
    ) -> Result<(), ScriptStoreError> {
        if script.body().contains("refused") {
            return Err(ScriptStoreError::new("refused"));
        }
        let mut kept = self.kept.lock().unwrap();
        let scripts = kept.entry(format!("{database}/{container}")).or_default();
        scripts.retain(|known| !known.is_same_resource(script));
        scripts.push(script.clone());
        Ok(())
    }
}

#[tokio::test]
async fn scripts_are_planned_and_applied_and_others_left_alone() {
    let (fixture, store) = (Fixture::new().await, FakeScripts::default());
    let schema = toml(SHOP);
    let plan = schema.plan_with_scripts(&fixture.account, &store).await.unwrap();
    let expected = "+ database shop\n\
                    + container shop/orders: partition key /customer, 3 scripts\n\
                    + procedure bulkDelete of shop/orders\n\
                    + trigger stamp (Pre Create) of shop/orders\n\
                    + function to lower of shop/orders\n\n\
                    5 to create, 0 to change, 0 as declared.";
    assert_eq!(plan.to_string(), expected);
    plan.apply_with_scripts(&fixture.account, &store, |_| {}).await.unwrap();
    let plan = schema.plan_with_scripts(&fixture.account, &store).await.unwrap();
    assert_eq!(plan.to_string(), "Nothing to do: 5 as declared.");

    let changed = SHOP
        .replace("// '\n", "// '\n    return text;\n")
        .replace("\"pre\"", "\"Post\"")
        .replace("\"to lower\"", "upper");
    let plan = toml(&changed).plan_with_scripts(&fixture.account, &store).await.unwrap();
    let expected = "~ procedure bulkDelete of shop/orders\n    \
                    text: 3 -> 4 lines, 1 of them new\n\
                    ~ trigger stamp (Post Create) of shop/orders\n    \
                    runs: Pre Create -> Post Create\n\
                    + function upper of shop/orders\n  \
                    function to lower of shop/orders is not in the schema and is left alone\n\n\
                    1 to create, 2 to change, 2 as declared.";
    assert_eq!(plan.to_string(), expected);
    plan.apply_with_scripts(&fixture.account, &store, |_| {}).await.unwrap();
    assert_eq!(store.names("shop/orders"), ["to lower", "bulkDelete", "stamp", "upper"]);
}

#[tokio::test]
async fn a_caller_without_a_way_to_scripts_refuses_them() {
    let fixture = Fixture::new().await;
    let error = toml(SHOP).apply(&fixture.account).await.unwrap_err();
    assert!(matches!(error, SchemaApplyError::Refused(_)), "{error}");
    assert!(error.to_string().contains("scripts of container shop/orders"), "{error}");
}

#[tokio::test]
async fn a_script_that_is_not_written_is_named() {
    let (fixture, store) = (Fixture::new().await, FakeScripts::default());
    let schema = toml(&SHOP.replace("getContext();", "refused"));
    let plan = schema.plan_with_scripts(&fixture.account, &store).await.unwrap();
    let error = plan.apply_with_scripts(&fixture.account, &store, |_| {}).await.unwrap_err();
    assert_eq!(error.to_string(), "trigger stamp (Pre Create) of shop/orders: refused");
}

#[tokio::test]
async fn scripts_survive_a_round_trip_in_every_format() {
    for form in [SchemaFormat::Toml, SchemaFormat::Terraform, SchemaFormat::Arm] {
        let exported = toml(SHOP).export(form);
        assert!(exported.omitted.is_empty(), "{exported:?}");
        let name = match form {
            SchemaFormat::Toml => "s.toml",
            SchemaFormat::Terraform => "main.tf",
            SchemaFormat::Arm => "t.json",
        };
        let parsed = read(name, &exported.text, &SchemaReadOptions::default());
        let parsed = parsed.unwrap_or_else(|error| panic!("{error}\n{}", exported.text)).schema;
        assert_eq!(scripts_of(&parsed), scripts_of(&toml(SHOP)), "{}", exported.text);
        assert_eq!(parsed.export(form).text, exported.text);
    }
}

fn scripts_of(schema: &Schema) -> Vec<ScriptSchema> {
    let containers = schema.databases().iter().flat_map(|database| database.containers());
    containers.flat_map(|container| container.scripts().to_vec()).collect()
}

#[test]
fn terraform_names_containers_by_id_and_scripts_by_file() {
    const MAIN: &str = r#"
resource "azurerm_cosmosdb_sql_container" "each" {
  for_each            = toset(["orders", "events"])
  name                = each.key
  database_name       = "shop"
  partition_key_paths = ["/id"]
}
resource "azurerm_cosmosdb_sql_container" "one" {
  name                = "one"
  database_name       = "shop"
  partition_key_paths = ["/id"]
}
resource "azurerm_cosmosdb_sql_stored_procedure" "hello" {
  name                = "hello"
  resource_group_name = data.azurerm_resource_group.rg.name
  account_name        = "a"
  database_name       = "shop"
  container_name      = azurerm_cosmosdb_sql_container.one.name
  body                = <<BODY
function () { return `$${x}`; }
BODY
}
resource "azurerm_cosmosdb_sql_trigger" "stamp" {
  name         = "stamp"
  container_id = azurerm_cosmosdb_sql_container.each["orders"].id
  body         = file("${path.module}/stamp.js")
  operation    = "Delete"
  type         = "Post"
}
resource "azurerm_cosmosdb_sql_function" "lower" {
  name         = "lower"
  container_id = azurerm_cosmosdb_sql_container.one.id
  body         = "x => x"
}
"#;
    let files = folder(&[("main.tf", MAIN), ("stamp.js", "function stamp() {}\n")]);
    let options = SchemaReadOptions::default();
    let schema = report(Schema::from_path(files.path(), &options), files.path()).unwrap().schema;
    let scripts = scripts_of(&schema);
    let script = |id: &str| scripts.iter().find(|script| script.id() == id).unwrap().clone();
    assert_eq!(script("hello").body(), "function () { return `${x}`; }\n");
    let kind = ScriptSchemaKind::Trigger { trigger_type: "Post", operation: "Delete" };
    assert_eq!((script("stamp").kind(), script("stamp").body()), (kind, "function stamp() {}\n"));
    assert_eq!(script("lower").kind(), ScriptSchemaKind::Function);
    assert_eq!(scripts.len(), 3);
}

#[test]
fn templates_declare_scripts_at_the_top_and_inside_of_a_container() {
    const TEMPLATE: &str = r#"{
  "parameters": {"account": {"type": "string", "defaultValue": "a"}},
  "resources": [
    {"type": "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers", "apiVersion": "2024-05-15",
     "name": "[format('{0}/shop/orders', parameters('account'))]",
     "properties": {"resource": {"id": "orders", "partitionKey": {"paths": ["/id"]}}},
     "resources": [{"type": "userDefinedFunctions", "apiVersion": "2024-05-15", "name": "lower",
       "properties": {"resource": {"id": "lower", "body": "x => x"}, "options": {}}}]},
    {"type": "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/storedProcedures",
     "apiVersion": "2024-05-15",
     "name": "[format('{0}/shop/orders/hello', parameters('account'))]",
     "properties": {"resource": {"id": "hello", "body": "function () {}"}}},
    {"type": "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/triggers", "apiVersion": "2024-05-15",
     "name": "[format('{0}/shop/orders/stamp', parameters('account'))]",
     "properties": {"resource": {"id": "stamp", "body": "function () {}", "triggerType": "Pre",
       "triggerOperation": "All"}}}
  ]
}"#;
    let parsed = read("t.json", TEMPLATE, &SchemaReadOptions::default()).unwrap();
    let scripts = scripts_of(&parsed.schema);
    let ids: Vec<&str> = scripts.iter().map(ScriptSchema::id).collect();
    assert_eq!(ids, ["lower", "hello", "stamp"]);
    assert!(parsed.ignored.is_empty(), "{:?}", parsed.ignored);
}

#[test]
fn mistakes_in_scripts_have_their_line() {
    let toml = |text: &str| Schema::from_toml("s.toml", text).unwrap_err().to_string();
    let container = "[database.d.container.c]\npartition_key = \"/k\"\n";
    for (script, expected) in [
        ("procedure.p]\n", "s.toml:3: procedure 'p' has one of 'body' and 'file'"),
        ("procedure.p]\nbody = 1\n", "s.toml:4: procedure 'p': body is a text"),
        (
            "procedure.p]\nbody = \" \"\n",
            "s.toml:3: The procedure 'p' has no text; give it a function.",
        ),
        (
            "function.f]\nbody = \"x\"\ntype = \"pre\"\n",
            "s.toml:5: function 'f' knows no 'type'; it knows body, file",
        ),
        ("trigger.t]\nbody = \"x\"\n", "s.toml:3: trigger 't' has no 'type'; give it one"),
        (
            "trigger.t]\nbody = \"x\"\ntype = \"pre\"\noperation = \"read\"\n",
            "s.toml:6: The operation 'read' of a trigger is none of All, Create, Replace, Upsert, Update, Delete.",
        ),
        (
            "function.\"a/b\"]\nbody = \"x\"\n",
            "s.toml:3: The id 'a/b' of a function has 1 to 255 characters and none of / \\ ? #.",
        ),
    ] {
        assert_eq!(toml(&format!("{container}[database.d.container.c.{script}")), expected);
    }
    let files = folder(&[(
        "main.tf",
        "resource \"azurerm_cosmosdb_sql_function\" \"f\" {\n  name = \"f\"\n  container_id = \"/x/y\"\n  \
         body = \"x\"\n}\n\
         resource \"azurerm_cosmosdb_sql_stored_procedure\" \"p\" {\n  name = \"p\"\n  database_name = \"d\"\n  \
         container_name = \"c\"\n  body = \"x\"\n}\n",
    )]);
    let read = Schema::from_path(&path(&files, "main.tf"), &SchemaReadOptions::default());
    let errors = report(read, files.path()).unwrap_err();
    assert!(errors.contains("main.tf:3: container_id is '/x/y'"), "{errors}");
    let missing = "main.tf:9: the container 'd/c' of the script 'p' is not declared in these files";
    assert!(errors.contains(missing), "{errors}");
}
