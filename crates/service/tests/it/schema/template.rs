//! Templates: parameters, expressions, nested resources, modules.

use service::schema::{SchemaFormat, SchemaReadOptions};

use super::fixture::{folder, path, read};

const TEMPLATE: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": {
    "accountName": {"type": "string", "defaultValue": "[concat('sql-', uniqueString(resourceGroup().id))]"},
    "databaseName": {"type": "string", "defaultValue": "shop"},
    "throughput": {"type": "int", "defaultValue": 400}
  },
  "variables": {"orders": "[concat('orders', '-v1')]"},
  "resources": [
    {"type": "Microsoft.DocumentDB/databaseAccounts", "apiVersion": "2024-05-15", "name": "[parameters('accountName')]",
     "location": "[resourceGroup().location]", "properties": {}},
    {"type": "Microsoft.DocumentDB/databaseAccounts/sqlDatabases", "apiVersion": "2024-05-15",
     "name": "[format('{0}/{1}', parameters('accountName'), parameters('databaseName'))]",
     "dependsOn": ["[resourceId('Microsoft.DocumentDB/databaseAccounts', parameters('accountName'))]"],
     "properties": {"resource": {"id": "[parameters('databaseName')]"}, "options": {"throughput": 1000}},
     "resources": [
       {"type": "containers", "apiVersion": "2024-05-15", "name": "nested",
        "properties": {"resource": {"id": "nested", "partitionKey": {"paths": ["/id"], "kind": "Hash"},
          "analyticalStorageTtl": -1}}}
     ]},
    {"type": "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers", "apiVersion": "2024-05-15",
     "name": "[format('{0}/{1}/{2}', parameters('accountName'), parameters('databaseName'), variables('orders'))]",
     "properties": {
       "resource": {
         "id": "[variables('orders')]",
         "partitionKey": {"paths": ["/tenant", "/user"], "kind": "MultiHash", "version": 2},
         "indexingPolicy": {"indexingMode": "consistent", "includedPaths": [{"path": "/*"}],
           "excludedPaths": [{"path": "/note/?"}]},
         "uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/number"]}]},
         "defaultTtl": 86400,
         "computedProperties": [{"name": "lower", "query": "SELECT VALUE LOWER(c.name) FROM c"}]
       },
       "options": {"autoscaleSettings": {"maxThroughput": "[parameters('throughput')]"}}}},
    {"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "module",
     "properties": {"expressionEvaluationOptions": {"scope": "inner"}, "mode": "Incremental",
       "parameters": {"account": {"value": "[parameters('accountName')]"}, "name": {"value": "events"}},
       "template": {
         "parameters": {"account": {"type": "string"}, "name": {"type": "string"}},
         "resources": {
           "there": {"existing": true, "type": "Microsoft.DocumentDB/databaseAccounts", "name": "x"},
           "events": {"type": "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers",
             "name": "[format('{0}/{1}/{2}', parameters('account'), 'shop', parameters('name'))]",
             "properties": {"resource": {"id": "[parameters('name')]", "partitionKey": {"paths": ["/id"]}}}}}}}}
  ]
}"#;

const AS_TOML: &str = r#"[database.shop]
throughput = 1000

[database.shop.container.nested]
partition_key = "/id"

[database.shop.container.nested.indexing]
mode = "consistent"
included = ["/*"]
excluded = ['/"_etag"/?']

[database.shop.container.orders-v1]
partition_key = ["/tenant", "/user"]
partition_key_version = 2
default_ttl = 86400
autoscale_max_throughput = 4000
unique_keys = [["/number"]]

[database.shop.container.orders-v1.indexing]
mode = "consistent"
included = ["/*"]
excluded = ["/note/?", '/"_etag"/?']

[database.shop.container.orders-v1.more]
computedProperties = [{ name = "lower", query = "SELECT VALUE LOWER(c.name) FROM c" }]

[database.shop.container.events]
partition_key = "/id"

[database.shop.container.events.indexing]
mode = "consistent"
included = ["/*"]
excluded = ['/"_etag"/?']
"#;

#[test]
fn a_template_with_parameters_nested_resources_and_a_module() {
    let report = read("t.json", TEMPLATE, &SchemaReadOptions::default()).unwrap_err();
    assert!(report.starts_with("t.json:34: Requested throughput 400 is less"), "{report}");
    let folder = folder(&[("p.json", r#"{"parameters": {"throughput": {"value": 4000}}}"#)]);
    let options = SchemaReadOptions {
        parameters: Some(path(&folder, "p.json")),
        ..SchemaReadOptions::default()
    };
    let reading = read("t.json", TEMPLATE, &options).unwrap();
    assert_eq!(reading.schema.export(SchemaFormat::Toml).text, AS_TOML);
    let ignored: Vec<String> = reading.ignored.iter().map(|one| one.what.clone()).collect();
    assert_eq!(ignored, ["resource Microsoft.DocumentDB/databaseAccounts"]);
    assert!(reading.notes[0].what.contains("analyticalStorageTtl of 'nested'"));
}

#[test]
fn conditions_and_loops_are_followed() {
    let container = |more: &str| {
        format!(
            r#"{{"resources": [{{"type": "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers",
            "name": "a/d/c", {more}
            "properties": {{"resource": {{"id": "c", "partitionKey": {{"paths": ["/k"]}}}}}}}}]}}"#
        )
    };
    let read = |more: &str| read("t.json", &container(more), &SchemaReadOptions::default());
    assert_eq!(read(r#""condition": false,"#).unwrap().schema.databases().len(), 0);
    assert_eq!(read(r#""condition": true,"#).unwrap().schema.databases().len(), 1);
    assert_eq!(read(r#""condition": "[equals(1, 2)]","#).unwrap().schema.databases().len(), 0);
    let unknown = read(r#""condition": "[equals(deployment().name, 'x')]","#).unwrap_err();
    assert!(unknown.contains("'deployment' is not known here"), "{unknown}");
    let twice = read(r#""copy": {"name": "x", "count": 2},"#).unwrap_err();
    assert!(twice.contains("container 'd/c'"), "both have one name: {twice}");
    let endless = read(r#""copy": {"name": "x", "count": "[reference('y').count]"},"#).unwrap_err();
    assert!(endless.contains("'reference' is not known here"), "{endless}");
}
