//! Terraform files: variables, locals, references, repeated resources, ignored blocks.

use service::schema::{Schema, SchemaFormat, SchemaReadOptions};

use super::fixture::{folder, path, read, report};

const INFRA: &str = r#"
terraform {
  required_version = ">= 1.5"
}

variable "prefix" {
  type    = string
  default = "dev"
}

variable "throughput" {
  type    = number
  default = 400
}

variable "containers" {
  type = map(object({ key = string, ttl = number }))
  default = {
    orders = { key = "/customer", ttl = 60 }
    events = { key = "/id", ttl = -1 }
  }
}

locals {
  database = "${var.prefix}-shop"
}

resource "azurerm_resource_group" "rg" {
  name     = "rg-${var.prefix}"
  location = "westeurope"
}

data "azurerm_client_config" "current" {}

resource "azurerm_cosmosdb_sql_database" "db" {
  name                = local.database
  resource_group_name = azurerm_resource_group.rg.name
  account_name        = azurerm_cosmosdb_account.unknown.name

  autoscale_settings {
    max_throughput = 4000
  }
}

resource "azurerm_cosmosdb_sql_container" "each" {
  for_each            = var.containers
  name                = each.key
  resource_group_name = azurerm_resource_group.rg.name
  account_name        = "a"
  database_name       = azurerm_cosmosdb_sql_database.db.name
  partition_key_paths = [each.value.key]
  default_ttl         = each.value.ttl
}

resource "azurerm_cosmosdb_sql_container" "rich" {
  name                   = format("%s-rich", azurerm_cosmosdb_sql_database.db.name)
  resource_group_name    = azurerm_resource_group.rg.name
  account_name           = "a"
  database_name          = azurerm_cosmosdb_sql_database.db.name
  partition_key_paths    = ["/tenant", "/user"]
  partition_key_kind     = "MultiHash"
  partition_key_version  = 2
  throughput             = var.throughput
  analytical_storage_ttl = -1

  indexing_policy {
    indexing_mode = "Consistent"
    included_path { path = "/*" }
    excluded_path { path = "/note/?" }
    composite_index {
      index {
        path  = "/a"
        order = "Ascending"
      }
      index {
        path  = "/b"
        order = "Descending"
      }
    }
    spatial_index { path = "/place/*" }
  }

  unique_key { paths = ["/number"] }
  unique_key { paths = ["/a", "/b"] }

  conflict_resolution_policy {
    mode                     = "LastWriterWins"
    conflict_resolution_path = "/_ts"
  }

  lifecycle { prevent_destroy = true }
}
"#;

const AS_TOML: &str = r#"[database.dev-shop]
autoscale_max_throughput = 4000

[database.dev-shop.container.orders]
partition_key = "/customer"
default_ttl = 60

[database.dev-shop.container.orders.indexing]
mode = "consistent"
included = ["/*"]
excluded = ['/"_etag"/?']

[database.dev-shop.container.events]
partition_key = "/id"
default_ttl = -1

[database.dev-shop.container.events.indexing]
mode = "consistent"
included = ["/*"]
excluded = ['/"_etag"/?']

[database.dev-shop.container.dev-shop-rich]
partition_key = ["/tenant", "/user"]
partition_key_version = 2
throughput = 400
unique_keys = [["/number"], ["/a", "/b"]]
conflict_resolution = { mode = "LastWriterWins", path = "/_ts" }

[database.dev-shop.container.dev-shop-rich.indexing]
mode = "consistent"
included = ["/*"]
excluded = ["/note/?", '/"_etag"/?']
composite = [["/a", "/b descending"]]
spatial = [{ path = "/place/*", types = ["Point", "LineString", "Polygon", "MultiPolygon"] }]
"#;

#[test]
fn everything_a_container_may_have_is_understood() {
    let reading = read("main.tf", INFRA, &SchemaReadOptions::default()).unwrap();
    assert_eq!(reading.schema.export(SchemaFormat::Toml).text, AS_TOML);
    let ignored: Vec<&str> = reading.ignored.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(
        ignored,
        ["resource azurerm_resource_group.rg", "data azurerm_client_config.current", "terraform"]
    );
    let notes: Vec<&str> = reading.notes.iter().map(|one| one.what.as_str()).collect();
    let note =
        "analytical_storage_ttl of 'dev-shop-rich' is left out: there is no analytical store here";
    assert_eq!(notes, [note]);
}

#[test]
fn variables_come_from_defaults_files_and_the_command_line() {
    let names = |options: &SchemaReadOptions, files: &[(&str, &str)]| {
        let folder = folder(&[&[("main.tf", INFRA)], files].concat());
        let schema =
            report(Schema::from_path(folder.path(), options), folder.path()).unwrap().schema;
        let database = &schema.databases()[0];
        let rich = database.containers().last().unwrap().throughput().unwrap();
        format!("{} {} {}", database.id(), database.containers().len(), rich.highest())
    };
    let given = |text: &[(&str, &str)]| SchemaReadOptions {
        variables: text.iter().map(|(one, two)| ((*one).to_owned(), (*two).to_owned())).collect(),
        ..SchemaReadOptions::default()
    };
    assert_eq!(names(&given(&[]), &[]), "dev-shop 3 400");
    let values = ("terraform.tfvars", "prefix = \"prod\"\nthroughput = 800\n");
    assert_eq!(names(&given(&[]), &[values]), "prod-shop 3 800");
    let later = ("b.auto.tfvars", "throughput = 900\n");
    assert_eq!(names(&given(&[]), &[values, later]), "prod-shop 3 900");
    let overridden =
        given(&[("throughput", "1000"), ("containers", "{ a = { key = \"/k\", ttl = 5 } }")]);
    assert_eq!(names(&overridden, &[values, later]), "prod-shop 2 1000");
    let file = folder(&[("x.tfvars", "prefix = \"file\"")]);
    let options = SchemaReadOptions { variable_files: vec![path(&file, "x.tfvars")], ..given(&[]) };
    assert_eq!(names(&options, &[values]), "file-shop 3 800");
}

#[test]
fn a_count_makes_several_and_a_data_source_gives_a_name() {
    let text = r#"
data "azurerm_cosmosdb_sql_database" "there" {
  name = "there"
}
resource "azurerm_cosmosdb_sql_container" "c" {
  count              = 2
  name               = "part-${count.index}"
  database_name      = data.azurerm_cosmosdb_sql_database.there.name
  partition_key_path = "/k"
}
"#;
    let schema = read("main.tf", text, &SchemaReadOptions::default()).unwrap().schema;
    let database = &schema.databases()[0];
    let names: Vec<&str> = database.containers().iter().map(|one| one.id().as_str()).collect();
    assert_eq!((database.id().as_str(), names), ("there", vec!["part-0", "part-1"]));
}
