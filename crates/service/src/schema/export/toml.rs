//! Export in our own format.
//!
//! Owns its layout. `read/toml` reads it back.

use std::fmt::Write as _;

use client::Throughput;
use model::{Json, Object};

use super::members::members;
use crate::schema::declaration::{ContainerSchema, Schema};
use crate::schema::script::ScriptSchemaKind;

/// Writes a schema.
pub(super) fn write(schema: &Schema) -> String {
    let mut text = String::new();
    for database in schema.databases() {
        separate(&mut text);
        let name = key(database.id().as_str());
        line(&mut text, &format!("[database.{name}]"));
        throughput(&mut text, database.throughput());
        for one in database.containers() {
            separate(&mut text);
            let path = format!("database.{name}.container.{}", key(one.id().as_str()));
            container(&mut text, &path, one);
            scripts(&mut text, &path, one);
        }
    }
    text
}

fn container(text: &mut String, path: &str, container: &ContainerSchema) {
    let members = members(container);
    line(text, &format!("[{path}]"));
    if let Some(definition) = members.get("partitionKey") {
        let paths = definition.get("paths").and_then(Json::as_array).unwrap_or_default();
        let kind = definition.get("kind").cloned().unwrap_or(Json::Null);
        match paths {
            [one] => {
                assign(text, "partition_key", one);
                if kind.as_str() != Some("Hash") {
                    assign(text, "partition_key_kind", &kind);
                }
            }
            // Several paths imply the hierarchical kind.
            several => assign(text, "partition_key", &Json::Array(several.to_vec())),
        }
        if let Some(version) = definition.get("version") {
            assign(text, "partition_key_version", version);
        }
    }
    if let Some(seconds) = members.get("defaultTtl") {
        assign(text, "default_ttl", seconds);
    }
    throughput(text, container.throughput());
    if let Some(policy) = members.get("uniqueKeyPolicy") {
        let keys = policy.get("uniqueKeys").and_then(Json::as_array).unwrap_or_default();
        let keys = keys.iter().filter_map(|key| key.get("paths").cloned());
        assign(text, "unique_keys", &Json::Array(keys.collect()));
    }
    if let Some(policy) = members.get("conflictResolutionPolicy") {
        let names = [
            ("mode", "mode"),
            ("conflictResolutionPath", "path"),
            ("conflictResolutionProcedure", "procedure"),
        ];
        assign(text, "conflict_resolution", &renamed(policy, &names));
    }
    if let Some(policy) = members.get("indexingPolicy") {
        separate(text);
        line(text, &format!("[{path}.indexing]"));
        indexing(text, policy);
    }
    // Tables last: in TOML, a key after a table header would belong to that table.
    more(text, path, &members);
}

fn indexing(text: &mut String, policy: &Json) {
    let names = [
        ("indexingMode", "mode"),
        ("includedPaths", "included"),
        ("excludedPaths", "excluded"),
        ("compositeIndexes", "composite"),
        ("spatialIndexes", "spatial"),
        ("vectorIndexes", "vector"),
        ("fullTextIndexes", "full_text"),
    ];
    for (theirs, ours) in names {
        let Some(value) = policy.get(theirs) else { continue };
        let value = match (theirs, value) {
            ("includedPaths" | "excludedPaths", Json::Array(list)) if list.is_empty() => continue,
            ("compositeIndexes", Json::Array(indexes)) => {
                Json::Array(indexes.iter().map(composite).collect())
            }
            (_, Json::Array(list)) => Json::Array(list.iter().map(plain_path).collect()),
            (_, value) => value.clone(),
        };
        assign(text, ours, &value);
    }
}

fn composite(index: &Json) -> Json {
    let one = |path: &Json| {
        let name = path.get("path").and_then(Json::as_str).unwrap_or_default();
        match path.get("order").and_then(Json::as_str) {
            Some("descending") => Json::from(format!("{name} descending")),
            _ => Json::from(name),
        }
    };
    Json::Array(index.as_array().unwrap_or_default().iter().map(one).collect())
}

/// A table with only a path is written as the path.
fn plain_path(value: &Json) -> Json {
    match (value.as_object().map(Object::len), value.get("path")) {
        (Some(1), Some(path)) => path.clone(),
        _ => value.clone(),
    }
}

fn more(text: &mut String, path: &str, members: &Object) {
    let names = [
        "geospatialConfig",
        "computedProperties",
        "changeFeedPolicy",
        "vectorEmbeddingPolicy",
        "fullTextPolicy",
    ];
    let given: Vec<_> = names.iter().filter_map(|name| Some((*name, members.get(name)?))).collect();
    if given.is_empty() {
        return;
    }
    separate(text);
    line(text, &format!("[{path}.more]"));
    for (name, value) in given {
        assign(text, name, value);
    }
}

fn scripts(text: &mut String, path: &str, container: &ContainerSchema) {
    for script in container.scripts() {
        separate(text);
        line(text, &format!("[{path}.{}.{}]", script.kind(), key(script.id())));
        if let ScriptSchemaKind::Trigger { trigger_type, operation } = script.kind() {
            assign(text, "type", &Json::from(trigger_type.to_ascii_lowercase()));
            assign(text, "operation", &Json::from(operation.to_ascii_lowercase()));
        }
        line(text, &format!("body = {}", long_text(script.body())));
    }
}

/// A text of several lines as it is, if its characters allow it.
fn long_text(text: &str) -> String {
    let is_literal = |letter: char| matches!(letter, '\n' | '\t') || !letter.is_control();
    let fits = !text.contains("'''") && !text.ends_with('\'') && text.chars().all(is_literal);
    // The line break after the opening quotes is not part of the text.
    if text.contains('\n') && fits { format!("'''\n{text}'''") } else { quoted(text) }
}

fn throughput(text: &mut String, throughput: Option<Throughput>) {
    match throughput {
        Some(Throughput::Manual(number)) => assign(text, "throughput", &i64::from(number).into()),
        Some(Throughput::Autoscale { maximum, .. }) => {
            assign(text, "autoscale_max_throughput", &i64::from(maximum).into());
        }
        None => {}
    }
}

fn renamed(json: &Json, names: &[(&str, &str)]) -> Json {
    let mut object = Object::new();
    for (theirs, ours) in names {
        match json.get(theirs) {
            None => {}
            Some(Json::String(text)) if text.is_empty() => {}
            Some(value) => object.insert(*ours, value.clone()),
        };
    }
    Json::Object(object)
}

fn separate(text: &mut String) {
    if !text.is_empty() {
        text.push('\n');
    }
}

fn line(text: &mut String, content: &str) {
    text.push_str(content);
    text.push('\n');
}

fn assign(text: &mut String, name: &str, value: &Json) {
    line(text, &format!("{name} = {}", printed(value)));
}

/// A value on one line. Nulls are omitted, because TOML has none.
fn printed(value: &Json) -> String {
    match value {
        Json::Array(values) => {
            let values = values.iter().filter(|value| **value != Json::Null).map(printed);
            format!("[{}]", values.collect::<Vec<_>>().join(", "))
        }
        Json::Object(members) => {
            let members = members.iter().filter(|(_, value)| **value != Json::Null);
            let members =
                members.map(|(name, value)| format!("{} = {}", key(name), printed(value)));
            match members.collect::<Vec<_>>() {
                none if none.is_empty() => "{}".to_owned(),
                some => format!("{{ {} }}", some.join(", ")),
            }
        }
        Json::String(text) => quoted(text),
        other => other.to_string(),
    }
}

fn key(name: &str) -> String {
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => quoted(name),
    }
}

/// A quoted text, without escapes where possible, because paths contain many quotes.
fn quoted(text: &str) -> String {
    let is_literal = |letter: char| letter != '\'' && !letter.is_control();
    if text.contains(['"', '\\']) && text.chars().all(is_literal) {
        return format!("'{text}'");
    }
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            letter if letter.is_control() => {
                // Writing into a text cannot fail.
                let _ = write!(quoted, "\\u{:04X}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
