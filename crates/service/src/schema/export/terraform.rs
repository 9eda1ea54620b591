//! Export as Terraform, with the resources of the current provider `azurerm`.
//!
//! Owns its layout: variables for the account and its resource group, one resource per database and container, and
//! those of the account if it is created, too.

use std::collections::BTreeSet;

use client::Throughput;
use model::Json;

use super::members::members;
use crate::schema::account::{AccountBackup, AccountSchema};
use crate::schema::declaration::{ContainerSchema, DatabaseSchema, OptionalProperty, Schema};
use crate::schema::script::{ScriptSchema, ScriptSchemaKind};

/// Writes a schema. Also returns the properties that the provider cannot express.
pub(super) fn write(schema: &Schema, account: Option<&AccountSchema>) -> (String, Vec<String>) {
    let mut out = TerraformWriter::default();
    out.line(0, "variable \"resource_group_name\" {\n  type = string\n}\n");
    out.line(0, "variable \"account_name\" {\n  type = string\n}");
    if let Some(account) = account {
        out.whole_account(account);
    }
    let mut omitted = Vec::new();
    // One list for both kinds, although labels need only differ within one: names stay easier to tell apart.
    let mut labels = ResourceLabels::default();
    for database in schema.databases() {
        let label = labels.next(&[database.id().as_str()]);
        out.line(0, "");
        out.line(0, &format!("resource \"azurerm_cosmosdb_sql_database\" \"{label}\" {{"));
        out.set(1, "name", &quoted(database.id().as_str()));
        out.account();
        if account.is_some() {
            out.set(1, "depends_on", "[azurerm_cosmosdb_account.account]");
        }
        out.throughput(database.throughput());
        out.line(0, "}");
        for one in database.containers() {
            let own = labels.next(&[one.id().as_str(), database.id().as_str()]);
            out.line(0, "");
            out.line(0, &format!("resource \"azurerm_cosmosdb_sql_container\" \"{own}\" {{"));
            out.set(1, "name", &quoted(one.id().as_str()));
            out.account();
            let reference = format!("azurerm_cosmosdb_sql_database.{label}.name");
            out.set(1, "database_name", &reference);
            out.container(one);
            out.line(0, "}");
            let path = format!("container {}/{}", database.id(), one.id());
            omitted.extend(inexpressible(one).into_iter().map(|what| format!("{path}: {what}")));
            for script in one.scripts() {
                let names = [script.id(), one.id().as_str(), database.id().as_str()];
                out.script(&labels.next(&names), &own, database, one, script);
                if let ScriptSchemaKind::Trigger { operation: "Upsert", .. } = script.kind() {
                    omitted.push(format!(
                        "{path}: the provider does not know the operation Upsert of the trigger {}",
                        script.id()
                    ));
                }
            }
        }
    }
    (aligned(&out.text), omitted)
}

/// The properties of a container that the provider cannot express.
fn inexpressible(container: &ContainerSchema) -> Vec<&'static str> {
    let policy = &container.properties().indexing_policy;
    let aspects = [
        (OptionalProperty::Geospatial, "geospatialConfig"),
        (OptionalProperty::ComputedProperties, "computedProperties"),
        (OptionalProperty::ChangeFeed, "changeFeedPolicy"),
        (OptionalProperty::VectorEmbeddings, "vectorEmbeddingPolicy"),
        (OptionalProperty::FullText, "fullTextPolicy"),
        (OptionalProperty::VectorIndexes, "vectorIndexes"),
        (OptionalProperty::FullTextIndexes, "fullTextIndexes"),
    ];
    let declared = aspects.into_iter().filter(|(aspect, _)| container.declares(*aspect));
    let chosen = [
        (policy.spatial.iter().any(|index| index.types.len() < 4), "types of spatial indexes"),
        (policy.spatial.iter().any(|index| index.bounding_box.is_some()), "boundingBox"),
    ];
    let chosen = chosen.into_iter().filter(|(is_chosen, _)| *is_chosen).map(|(_, name)| name);
    declared.map(|(_, name)| name).chain(chosen).collect()
}

#[derive(Default)]
struct TerraformWriter {
    text: String,
}

impl TerraformWriter {
    fn line(&mut self, depth: usize, content: &str) {
        if !content.is_empty() {
            self.text.push_str(&"  ".repeat(depth));
            self.text.push_str(content);
        }
        self.text.push('\n');
    }

    fn set(&mut self, depth: usize, name: &str, value: &str) {
        self.line(depth, &format!("{name} = {value}"));
    }

    fn account(&mut self) {
        self.set(1, "resource_group_name", "var.resource_group_name");
        self.set(1, "account_name", "var.account_name");
    }

    /// The account, and its private endpoint if it has one.
    fn whole_account(&mut self, account: &AccountSchema) {
        let region = quoted(&account.region);
        self.line(0, "");
        self.line(0, "resource \"azurerm_cosmosdb_account\" \"account\" {");
        self.set(1, "name", "var.account_name");
        self.set(1, "resource_group_name", "var.resource_group_name");
        self.set(1, "location", &region);
        self.set(1, "offer_type", "\"Standard\"");
        self.set(1, "kind", "\"GlobalDocumentDB\"");
        let is_public = account.private_endpoint_subnet.is_none();
        self.set(1, "public_network_access_enabled", &is_public.to_string());
        self.set(1, "minimal_tls_version", "\"Tls12\"");
        self.block(1, "consistency_policy", |lines, depth| {
            lines.set(depth, "consistency_level", &quoted(account.consistency.as_str()));
        });
        self.block(1, "geo_location", |lines, depth| {
            lines.set(depth, "location", &region);
            lines.set(depth, "failover_priority", "0");
            lines.set(depth, "zone_redundant", &account.is_zone_redundant.to_string());
        });
        self.block(1, "backup", |lines, depth| match account.backup {
            AccountBackup::ContinuousThirtyDays => {
                lines.set(depth, "type", "\"Continuous\"");
                lines.set(depth, "tier", "\"Continuous30Days\"");
            }
            AccountBackup::PeriodicLocal { interval_minutes, retention_hours } => {
                lines.set(depth, "type", "\"Periodic\"");
                lines.set(depth, "interval_in_minutes", &interval_minutes.to_string());
                lines.set(depth, "retention_in_hours", &retention_hours.to_string());
                lines.set(depth, "storage_redundancy", "\"Local\"");
            }
        });
        self.line(0, "}");
        let Some(subnet) = &account.private_endpoint_subnet else { return };
        self.line(0, "");
        self.line(0, "resource \"azurerm_private_endpoint\" \"account\" {");
        self.set(1, "name", "\"${var.account_name}-endpoint\"");
        self.set(1, "resource_group_name", "var.resource_group_name");
        self.set(1, "location", &region);
        self.set(1, "subnet_id", &quoted(subnet));
        self.block(1, "private_service_connection", |lines, depth| {
            lines.set(depth, "name", "\"account\"");
            lines.set(
                depth,
                "private_connection_resource_id",
                "azurerm_cosmosdb_account.account.id",
            );
            lines.set(depth, "subresource_names", "[\"Sql\"]");
            lines.set(depth, "is_manual_connection", "false");
        });
        self.line(0, "}");
    }

    /// A script; `container` is the label of its container.
    fn script(
        &mut self,
        label: &str,
        container: &str,
        database: &DatabaseSchema,
        declared: &ContainerSchema,
        script: &ScriptSchema,
    ) {
        let kind = match script.kind() {
            ScriptSchemaKind::Procedure => "stored_procedure",
            ScriptSchemaKind::Trigger { .. } => "trigger",
            ScriptSchemaKind::Function => "function",
        };
        self.line(0, "");
        self.line(0, &format!("resource \"azurerm_cosmosdb_sql_{kind}\" \"{label}\" {{"));
        self.set(1, "name", &quoted(script.id()));
        if script.kind() == ScriptSchemaKind::Procedure {
            self.account();
            self.set(1, "database_name", &quoted(database.id().as_str()));
            self.set(1, "container_name", &quoted(declared.id().as_str()));
            let needed = format!("[azurerm_cosmosdb_sql_container.{container}]");
            self.set(1, "depends_on", &needed);
        } else {
            self.set(1, "container_id", &format!("azurerm_cosmosdb_sql_container.{container}.id"));
        }
        if let ScriptSchemaKind::Trigger { trigger_type, operation } = script.kind() {
            self.set(1, "type", &quoted(trigger_type));
            self.set(1, "operation", &quoted(operation));
        }
        self.set(1, "body", &quoted(script.body()));
        self.line(0, "}");
    }

    fn throughput(&mut self, throughput: Option<Throughput>) {
        match throughput {
            None => {}
            Some(Throughput::Manual(number)) => self.set(1, "throughput", &number.to_string()),
            Some(Throughput::Autoscale { maximum, .. }) => {
                self.block(1, "autoscale_settings", |lines, depth| {
                    lines.set(depth, "max_throughput", &maximum.to_string());
                });
            }
        }
    }

    fn block(&mut self, depth: usize, name: &str, inside: impl FnOnce(&mut Self, usize)) {
        self.line(0, "");
        self.line(depth, &format!("{name} {{"));
        inside(self, depth + 1);
        self.line(depth, "}");
    }

    fn container(&mut self, container: &ContainerSchema) {
        let members = members(container);
        if let Some(key) = members.get("partitionKey") {
            self.set(1, "partition_key_paths", &texts(key.get("paths")));
            self.text_of(1, "partition_key_kind", key.get("kind"));
            if let Some(version) = key.get("version") {
                self.set(1, "partition_key_version", &version.to_string());
            }
        }
        if let Some(seconds) = members.get("defaultTtl") {
            self.set(1, "default_ttl", &seconds.to_string());
        }
        self.throughput(container.throughput());
        if let Some(policy) = members.get("indexingPolicy") {
            self.block(1, "indexing_policy", |lines, depth| lines.indexing(depth, policy));
        }
        for key in list(members.get("uniqueKeyPolicy"), "uniqueKeys") {
            self.block(1, "unique_key", |lines, depth| {
                lines.set(depth, "paths", &texts(key.get("paths")));
            });
        }
        if let Some(policy) = members.get("conflictResolutionPolicy") {
            self.block(1, "conflict_resolution_policy", |lines, depth| {
                let names = [
                    ("mode", "mode"),
                    ("conflict_resolution_path", "conflictResolutionPath"),
                    ("conflict_resolution_procedure", "conflictResolutionProcedure"),
                ];
                for (ours, theirs) in names {
                    lines.text_of(depth, ours, policy.get(theirs));
                }
            });
        }
    }

    fn indexing(&mut self, depth: usize, policy: &Json) {
        self.text_of(depth, "indexing_mode", policy.get("indexingMode"));
        let policy = Some(policy);
        for (name, from) in [("included_path", "includedPaths"), ("excluded_path", "excludedPaths")]
        {
            for path in list(policy, from) {
                self.block(depth, name, |lines, depth| {
                    lines.text_of(depth, "path", path.get("path"));
                });
            }
        }
        for index in list(policy, "compositeIndexes") {
            self.block(depth, "composite_index", |lines, depth| {
                for path in index.as_array().unwrap_or_default() {
                    lines.block(depth, "index", |lines, depth| {
                        lines.text_of(depth, "path", path.get("path"));
                        lines.text_of(depth, "order", path.get("order"));
                    });
                }
            });
        }
        for index in list(policy, "spatialIndexes") {
            self.block(depth, "spatial_index", |lines, depth| {
                lines.text_of(depth, "path", index.get("path"));
            });
        }
    }

    /// Writes a text unless it is empty.
    fn text_of(&mut self, depth: usize, name: &str, value: Option<&Json>) {
        if let Some(text) = value.and_then(Json::as_str).filter(|text| !text.is_empty()) {
            self.set(depth, name, &quoted(text));
        }
    }
}

/// Aligns the equals signs of neighbouring lines, as `terraform fmt` does.
fn aligned(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_neighbour = |one: &&str, other: &&str| split(one).is_some() && split(other).is_some();
    let mut aligned = String::new();
    for group in lines.chunk_by(is_neighbour) {
        let width = group.iter().filter_map(|line| split(line)).map(|(name, _)| name.len()).max();
        for line in group {
            match (split(line), width) {
                (Some((name, value)), Some(width)) => {
                    aligned.push_str(&format!("{name:width$} = {value}\n"));
                }
                _ => aligned.push_str(&format!("{line}\n")),
            }
        }
    }
    aligned
}

/// The name of an argument with its indentation, and its value.
fn split(line: &str) -> Option<(&str, &str)> {
    // A quote before the sign means that the sign is inside a text.
    line.split_once(" = ").filter(|(name, _)| !name.contains('"'))
}

fn list<'a>(json: Option<&'a Json>, name: &str) -> &'a [Json] {
    json.and_then(|json| json.get(name)).and_then(Json::as_array).unwrap_or_default()
}

fn texts(value: Option<&Json>) -> String {
    let texts = value.and_then(Json::as_array).unwrap_or_default();
    let texts = texts.iter().filter_map(Json::as_str).map(quoted);
    format!("[{}]", texts.collect::<Vec<_>>().join(", "))
}

/// A quoted text, escaped so that nothing in it is an expression.
fn quoted(text: &str) -> String {
    // JSON escapes are valid in HCL. The two template markers are not part of JSON and are escaped by doubling.
    Json::from(text).to_string().replace("${", "$${").replace("%{", "%%{")
}

/// Unique labels of resources, made of characters that the language allows.
#[derive(Default)]
struct ResourceLabels {
    taken: BTreeSet<String>,
}

impl ResourceLabels {
    /// A label from the first name; if it is taken, from all names; if that is taken too, with a number.
    fn next(&mut self, names: &[&str]) -> String {
        let plain = |names: &[&str]| {
            let text = names.iter().rev().copied().collect::<Vec<_>>().join("_");
            let letters =
                text.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '_' });
            let label: String = letters.collect();
            match label.starts_with(|first: char| first.is_ascii_digit()) {
                true => format!("_{label}"),
                false => label,
            }
        };
        let short = plain(names.get(..1).unwrap_or_default());
        let long = plain(names);
        let numbered = (2..).map(|number| format!("{long}_{number}"));
        let mut candidates = [short, long.clone()].into_iter().chain(numbered);
        let label = candidates.find(|label| !self.taken.contains(label)).unwrap_or(long);
        self.taken.insert(label.clone());
        label
    }
}
