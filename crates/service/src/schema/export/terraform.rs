//! Export as Terraform, with the resources of the current provider `azurerm`.
//!
//! Owns its layout: variables for the account and its resource group, and one resource per database and container.

use std::collections::BTreeSet;

use client::Throughput;
use model::Json;

use super::members::members;
use crate::schema::declaration::{ContainerSchema, OptionalProperty, Schema};

/// Writes a schema. Also returns the properties that the provider cannot express.
pub(super) fn write(schema: &Schema) -> (String, Vec<String>) {
    let mut out = TerraformWriter::default();
    out.line(0, "variable \"resource_group_name\" {\n  type = string\n}\n");
    out.line(0, "variable \"account_name\" {\n  type = string\n}");
    let mut omitted = Vec::new();
    // One list for both kinds, although labels need only differ within one: names stay easier to tell apart.
    let mut labels = ResourceLabels::default();
    for database in schema.databases() {
        let label = labels.next(&[database.id().as_str()]);
        out.line(0, "");
        out.line(0, &format!("resource \"azurerm_cosmosdb_sql_database\" \"{label}\" {{"));
        out.set(1, "name", &quoted(database.id().as_str()));
        out.account();
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
