//! Export, then plan: no difference, in every form.

use client::{Account, StorageLocation};
use service::schema::{Exported, Form, ReadOptions, Schema};

use super::ground::{Ground, read, toml};

/// Everything that all three forms have words for.
const COMMON: &str = r#"
[database.shop]
autoscale_max_throughput = 4000

[database.shop.container.orders]
partition_key = "/customer"
partition_key_version = 1
default_ttl = 3600

[database.shop.container.places]
partition_key = ["/world", "/kind", "/id"]
throughput = 500
default_ttl = -1
unique_keys = [["/name"], ["/a/b", "/c"]]
conflict_resolution = { mode = "Custom", procedure = "dbs/shop/colls/places/sprocs/decide" }

[database.shop.container.places.indexing]
included = ["/name/?", '/"odd name"/*']
excluded = ["/*", "/a/[]/?"]
composite = [["/name", "/age descending"], ["/x", "/y"]]
spatial = ["/where/*"]

[database.shop.container.dark]
partition_key = "/id"
[database.shop.container.dark.indexing]
mode = "none"

[database."2 odd.${name}"]
[database."2 odd.${name}".container."a's [list]"]
partition_key = "/k"
[database."2 odd.${name}".container."orders"]
partition_key = "/k"
"#;

/// What Terraform has no words for.
const MORE: &str = r#"
[database.shop.container.orders]
partition_key = "/customer"
[database.shop.container.orders.indexing]
automatic = false
spatial = [{ path = "/p/*", types = ["Point"] }]
vector = [{ path = "/v", type = "flat" }]
[database.shop.container.orders.more]
computedProperties = [{ name = "lower", query = "SELECT VALUE LOWER(c.name) FROM c" }]
changeFeedPolicy = { retentionDuration = 10 }
[[database.shop.container.orders.more.vectorEmbeddingPolicy.vectorEmbeddings]]
path = "/v"
dataType = "float32"
dimensions = 4
distanceFunction = "cosine"
"#;

fn read_back(form: Form, exported: &Exported) -> Schema {
    let name = match form {
        Form::Toml => "s.toml",
        Form::Terraform => "main.tf",
        Form::Arm => "t.json",
    };
    let options = ReadOptions::default();
    match read(name, &exported.text, &options) {
        Ok(reading) => reading.schema,
        Err(told) => panic!("{told}\n{}", exported.text),
    }
}

async fn check(schema: &str, form: Form) -> Exported {
    let ground = Ground::with(schema).await;
    let from_place = Schema::read(&ground.account).await.unwrap().export(form);
    let read = read_back(form, &from_place);
    let plan = read.plan(&ground.account).await.unwrap();
    assert!(plan.is_same() && plan.unlisted.is_empty(), "{plan}\n{}", from_place.text);
    assert_eq!(read.export(form).text, from_place.text);

    // What was exported makes the same in an empty place, and so does the export of the file.
    let from_file = toml(schema).export(form);
    for exported in [&from_place, &from_file] {
        let empty = Account::embedded(StorageLocation::Memory).await.unwrap();
        read_back(form, exported).apply(&empty).await.unwrap();
        if from_place.left_out.is_empty() {
            let plan = toml(schema).plan(&empty).await.unwrap();
            assert!(plan.is_same() && plan.unlisted.is_empty(), "{plan}\n{}", exported.text);
        }
    }
    from_place
}

#[tokio::test]
async fn what_all_forms_have_words_for_goes_round() {
    for form in [Form::Toml, Form::Terraform, Form::Arm] {
        let exported = check(COMMON, form).await;
        assert!(exported.left_out.is_empty(), "{exported:?}");
    }
}

#[tokio::test]
async fn what_a_form_has_no_words_for_is_told_and_is_no_difference() {
    for form in [Form::Toml, Form::Arm] {
        assert!(check(MORE, form).await.left_out.is_empty());
    }
    let exported = check(MORE, Form::Terraform).await;
    let expected = [
        "computedProperties",
        "changeFeedPolicy",
        "vectorEmbeddingPolicy",
        "vectorIndexes",
        "types of spatial indexes",
        "automatic",
    ];
    let expected = expected.map(|what| format!("container shop/orders: {what}"));
    assert_eq!(exported.left_out, expected);
}

#[tokio::test]
async fn terraform_is_written_in_the_words_of_the_current_provider() {
    let exported = check(
        "[database.shop.container.orders]\npartition_key = \"/customer\"\ndefault_ttl = 60\nthroughput = 400\n",
        Form::Terraform,
    )
    .await;
    let expected = r#"variable "resource_group_name" {
  type = string
}

variable "account_name" {
  type = string
}

resource "azurerm_cosmosdb_sql_database" "shop" {
  name                = "shop"
  resource_group_name = var.resource_group_name
  account_name        = var.account_name
}

resource "azurerm_cosmosdb_sql_container" "orders" {
  name                  = "orders"
  resource_group_name   = var.resource_group_name
  account_name          = var.account_name
  database_name         = azurerm_cosmosdb_sql_database.shop.name
  partition_key_paths   = ["/customer"]
  partition_key_kind    = "Hash"
  partition_key_version = 2
  default_ttl           = 60
  throughput            = 400

  indexing_policy {
    indexing_mode = "consistent"

    included_path {
      path = "/*"
    }

    excluded_path {
      path = "/\"_etag\"/?"
    }
  }
}
"#;
    assert_eq!(exported.text, expected);
}
