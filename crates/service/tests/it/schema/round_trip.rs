//! Export, then plan: no difference, in every format.

use client::{Account, StorageLocation};
use service::schema::{
    AccountBackup, AccountSchema, Schema, SchemaExport, SchemaFormat, SchemaReadOptions,
};

use super::fixture::{Fixture, read, toml};

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
[database."2 odd.${name}".container."[[two brackets"]
partition_key = "/k"
"#;

/// What Terraform has no words for.
const MORE: &str = r#"
[database.shop.container.orders]
partition_key = "/customer"
[database.shop.container.orders.indexing]
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

fn read_back(form: SchemaFormat, exported: &SchemaExport) -> Schema {
    let name = match form {
        SchemaFormat::Toml => "s.toml",
        SchemaFormat::Terraform => "main.tf",
        SchemaFormat::Arm => "t.json",
    };
    let options = SchemaReadOptions::default();
    match read(name, &exported.text, &options) {
        Ok(reading) => reading.schema,
        Err(report) => panic!("{report}\n{}", exported.text),
    }
}

async fn check(schema: &str, form: SchemaFormat) -> SchemaExport {
    let fixture = Fixture::with(schema).await;
    let from_place = Schema::read(&fixture.account).await.unwrap().export(form);
    let read = read_back(form, &from_place);
    let plan = read.plan(&fixture.account).await.unwrap();
    assert!(plan.is_up_to_date() && plan.undeclared.is_empty(), "{plan}\n{}", from_place.text);
    assert_eq!(read.export(form).text, from_place.text);

    // What was exported makes the same in an empty place, and so does the export of the file.
    let from_file = toml(schema).export(form);
    for exported in [&from_place, &from_file] {
        let empty = Account::embedded(StorageLocation::Memory).await.unwrap();
        read_back(form, exported).apply(&empty).await.unwrap();
        if from_place.omitted.is_empty() {
            let plan = toml(schema).plan(&empty).await.unwrap();
            assert!(
                plan.is_up_to_date() && plan.undeclared.is_empty(),
                "{plan}\n{}",
                exported.text
            );
        }
    }
    from_place
}

#[tokio::test]
async fn properties_that_all_formats_express_survive_a_round_trip() {
    for form in [SchemaFormat::Toml, SchemaFormat::Terraform, SchemaFormat::Arm] {
        let exported = check(COMMON, form).await;
        assert!(exported.omitted.is_empty(), "{exported:?}");
    }
}

#[tokio::test]
async fn properties_that_a_format_cannot_express_are_reported_and_are_no_difference() {
    for form in [SchemaFormat::Toml, SchemaFormat::Arm] {
        assert!(check(MORE, form).await.omitted.is_empty());
    }
    let exported = check(MORE, SchemaFormat::Terraform).await;
    let expected = [
        "computedProperties",
        "changeFeedPolicy",
        "vectorEmbeddingPolicy",
        "vectorIndexes",
        "types of spatial indexes",
    ];
    let expected = expected.map(|what| format!("container shop/orders: {what}"));
    assert_eq!(exported.omitted, expected);
}

#[tokio::test]
async fn terraform_is_written_in_the_words_of_the_current_provider() {
    let exported = check(
        "[database.shop.container.orders]\npartition_key = \"/customer\"\ndefault_ttl = 60\nthroughput = 400\n",
        SchemaFormat::Terraform,
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

#[test]
fn an_account_beside_the_schema_changes_nothing_of_it() {
    let schema = toml(COMMON);
    let whole = schema.export(SchemaFormat::Toml).text;
    for backup in [
        AccountBackup::ContinuousThirtyDays,
        AccountBackup::PeriodicLocal { interval_minutes: 240, retention_hours: 8 },
    ] {
        for subnet in [None, Some("/subscriptions/s/subnets/one".to_owned())] {
            let account = AccountSchema {
                consistency: model::ConsistencyLevel::Session,
                region: "polandcentral".to_owned(),
                is_zone_redundant: true,
                backup,
                private_endpoint_subnet: subnet,
            };
            for form in [SchemaFormat::Terraform, SchemaFormat::Arm] {
                let exported = schema.export_with_account(&account, form);
                let read = read_back(form, &exported);
                assert_eq!(read.export(SchemaFormat::Toml).text, whole, "{}", exported.text);
            }
        }
    }
}
