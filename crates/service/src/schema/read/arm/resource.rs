//! The two kinds of resources: databases and containers.
//!
//! Owns the names of their members. Templates use the wire format, so the members need no translation.

use model::Json;

use super::expression::TemplateScope;
use super::reader::{TemplateReader, TemplateResource};
use crate::schema::location::SchemaError;
use crate::schema::read::builder::{ContainerDraft, DatabaseDraft, Located, ThroughputDraft};

pub(super) const OF_RESOURCE: &[&str] = &[
    "type",
    "apiVersion",
    "name",
    "location",
    "tags",
    "dependsOn",
    "properties",
    "resources",
    "comments",
    "metadata",
    "condition",
    "copy",
    "identity",
];
pub(super) const OF_PROPERTIES: &[&str] = &["resource", "options"];
const OF_OPTIONS: &[&str] = &["throughput", "autoscaleSettings"];
const OF_CONTAINER: &[&str] = &[
    "id",
    "partitionKey",
    "indexingPolicy",
    "uniqueKeyPolicy",
    "defaultTtl",
    "conflictResolutionPolicy",
    "geospatialConfig",
    "computedProperties",
    "changeFeedPolicy",
    "vectorEmbeddingPolicy",
    "fullTextPolicy",
    "analyticalStorageTtl",
];
/// The known members of nested objects, because a misspelt one would otherwise be ignored.
const INSIDE: &[(&str, &[&str])] = &[
    ("partitionKey", &["paths", "kind", "version", "systemKey"]),
    (
        "indexingPolicy",
        &[
            "automatic",
            "indexingMode",
            "includedPaths",
            "excludedPaths",
            "compositeIndexes",
            "spatialIndexes",
            "vectorIndexes",
            "fullTextIndexes",
        ],
    ),
    ("uniqueKeyPolicy", &["uniqueKeys"]),
    (
        "conflictResolutionPolicy",
        &["mode", "conflictResolutionPath", "conflictResolutionProcedure"],
    ),
];

pub(super) fn database(
    reader: &mut TemplateReader<'_>,
    scope: &TemplateScope,
    found: &TemplateResource<'_>,
) -> Result<(), SchemaError> {
    reject_unknown(reader, found.json, &found.pointer, "this database", OF_RESOURCE);
    let pointer = format!("{}/properties", found.pointer);
    let properties = required(reader, found.json, &found.pointer, "properties")?;
    reject_unknown(reader, properties, &pointer, "a database", OF_PROPERTIES);
    let [name] = segments(reader, scope, found)?;
    let id = id(reader, scope, properties, &pointer, &name)?;
    if let Some(resource) = properties.get("resource") {
        reject_unknown(reader, resource, &format!("{pointer}/resource"), "a database", &["id"]);
    }
    let throughput = throughput(reader, scope, properties, &pointer)?;
    reader.builder.databases.push(DatabaseDraft { id, throughput });
    Ok(())
}

pub(super) fn container(
    reader: &mut TemplateReader<'_>,
    scope: &TemplateScope,
    found: &TemplateResource<'_>,
) -> Result<(), SchemaError> {
    reject_unknown(reader, found.json, &found.pointer, "this container", OF_RESOURCE);
    let pointer = format!("{}/properties", found.pointer);
    let properties = required(reader, found.json, &found.pointer, "properties")?;
    reject_unknown(reader, properties, &pointer, "a container", OF_PROPERTIES);
    let [database, name] = segments(reader, scope, found)?;
    let id = id(reader, scope, properties, &pointer, &name)?;
    let resource = required(reader, properties, &pointer, "resource")?;
    let resource_pointer = format!("{pointer}/resource");
    reject_unknown(reader, resource, &resource_pointer, "a container", OF_CONTAINER);
    // Reported here, where the line is known; the container itself would refuse it without one.
    required(reader, resource, &resource_pointer, "partitionKey")?;
    let mut members = Vec::new();
    for member in OF_CONTAINER.iter().filter(|member| **member != "id") {
        let Some(value) = resource.get(member).filter(|value| **value != Json::Null) else {
            continue;
        };
        let pointer = format!("{resource_pointer}/{member}");
        let location = reader.lines.location(&pointer);
        if *member == "analyticalStorageTtl" {
            let what = format!(
                "analyticalStorageTtl of '{}' is left out: there is no analytical store here",
                id.value
            );
            reader.builder.note(Some(&location), what);
            continue;
        }
        // Only members of containers must be known; an account name may stay unknown.
        let value = reader.known(scope, value, &pointer)?;
        // After loops are written out, because `copy` is no member.
        if let Some((_, known)) = INSIDE.iter().find(|(name, _)| name == member) {
            reject_unknown(reader, &value, &pointer, member, known);
        }
        members.push((*member, Located::new(value, location)));
    }
    let throughput = throughput(reader, scope, properties, &pointer)?;
    reader.builder.containers.push(ContainerDraft { database, id, members, throughput });
    Ok(())
}

/// The segments of the name after that of the account, which may be unknown.
pub(super) fn segments<const N: usize>(
    reader: &TemplateReader<'_>,
    scope: &TemplateScope,
    found: &TemplateResource<'_>,
) -> Result<[Located<String>; N], SchemaError> {
    let pointer = format!("{}/name", found.pointer);
    let parts: Vec<&str> = found.name.split('/').collect();
    let of_account = parts.len().checked_sub(N).filter(|accounts| *accounts == 1);
    let Some(of_account) = of_account else {
        let message = format!(
            "the name of this resource has {} parts, not {}: the account and what is in it",
            parts.len(),
            N + 1
        );
        return Err(reader.at(&pointer, message));
    };
    let mut stated = Vec::new();
    for part in parts.into_iter().skip(of_account) {
        if let Some(why) = scope.unknown_reason(&Json::from(part)) {
            return Err(reader.at(&pointer, why));
        }
        stated.push(Located::new(part.to_owned(), reader.lines.location(&pointer)));
    }
    stated.try_into().map_err(|_| reader.at(&pointer, "the name has too few parts".to_owned()))
}

/// The id of a resource, which must equal the last segment of its name.
pub(super) fn id(
    reader: &TemplateReader<'_>,
    scope: &TemplateScope,
    properties: &Json,
    pointer: &str,
    name: &Located<String>,
) -> Result<Located<String>, SchemaError> {
    let pointer = format!("{pointer}/resource");
    let resource = properties.get("resource").ok_or_else(|| {
        reader.at(&pointer, format!("'{}' has no 'resource'; give it one with an id", name.value))
    })?;
    let given = required(reader, resource, &pointer, "id")?;
    let pointer = format!("{pointer}/id");
    let id = reader.known(scope, given, &pointer)?;
    match id.as_str() {
        Some(id) if id == name.value => {
            Ok(Located::new(id.to_owned(), reader.lines.location(&pointer)))
        }
        _ => {
            let message = format!("the id {id} differs from '{}', the end of the name", name.value);
            Err(reader.at(&pointer, message))
        }
    }
}

fn throughput(
    reader: &mut TemplateReader<'_>,
    scope: &TemplateScope,
    properties: &Json,
    pointer: &str,
) -> Result<ThroughputDraft, SchemaError> {
    let pointer = format!("{pointer}/options");
    let Some(options) = properties.get("options") else { return Ok(ThroughputDraft::default()) };
    let options = reader.known(scope, options, &pointer)?;
    reject_unknown(reader, &options, &pointer, "options", OF_OPTIONS);
    let number = |value: Option<&Json>, name: &str| {
        let pointer = format!("{pointer}/{name}");
        let Some(value) = value.filter(|value| **value != Json::Null) else { return Ok(None) };
        match value.as_i64() {
            Some(number) => Ok(Some(Located::new(number, reader.lines.location(&pointer)))),
            None => Err(reader.at(&pointer, format!("{name} is a whole number, not {value}"))),
        }
    };
    let autoscale = options.get("autoscaleSettings").and_then(|it| it.get("maxThroughput"));
    Ok(ThroughputDraft {
        manual: number(options.get("throughput"), "throughput")?,
        autoscale_max: number(autoscale, "autoscaleSettings/maxThroughput")?,
    })
}

pub(super) fn required<'t>(
    reader: &TemplateReader<'_>,
    json: &'t Json,
    pointer: &str,
    name: &str,
) -> Result<&'t Json, SchemaError> {
    json.get(name).ok_or_else(|| reader.at(pointer, format!("'{name}' is missing here")))
}

pub(super) fn reject_unknown(
    reader: &mut TemplateReader<'_>,
    json: &Json,
    pointer: &str,
    thing: &str,
    known: &[&str],
) {
    let Some(object) = json.as_object() else { return };
    for (name, _) in object.iter().filter(|(name, _)| !known.contains(name)) {
        let message = format!("{thing} knows no '{name}'; it knows {}", known.join(", "));
        let error = reader.at(&format!("{pointer}/{name}"), message);
        reader.builder.errors.push(error);
    }
}
