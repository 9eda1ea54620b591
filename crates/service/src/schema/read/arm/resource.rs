//! What the two kinds of resource say: a database, a container.
//!
//! Owns the names of their members. Their meaning is that of the wire, which the templates share.

use model::Json;

use super::expression::Scope;
use super::template::{Found, Reader};
use crate::schema::origin::Mistake;
use crate::schema::read::gather::{ContainerDraft, DatabaseDraft, Stated, ThroughputDraft};

const OF_RESOURCE: &[&str] = &[
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
    "identity",
];
const OF_PROPERTIES: &[&str] = &["resource", "options"];
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
/// Members of members, where a misspelt one would be overlooked.
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
    reader: &mut Reader<'_>,
    scope: &Scope,
    found: &Found<'_>,
) -> Result<(), Mistake> {
    refuse_unknown(reader, found.json, &found.way, "this database", OF_RESOURCE);
    let way = format!("{}/properties", found.way);
    let properties = required(reader, found.json, &found.way, "properties")?;
    refuse_unknown(reader, properties, &way, "a database", OF_PROPERTIES);
    let [name] = segments(reader, scope, found)?;
    let id = id(reader, scope, properties, &way, &name)?;
    if let Some(resource) = properties.get("resource") {
        refuse_unknown(reader, resource, &format!("{way}/resource"), "a database", &["id"]);
    }
    let throughput = throughput(reader, scope, properties, &way)?;
    reader.gathering.databases.push(DatabaseDraft { id, throughput });
    Ok(())
}

pub(super) fn container(
    reader: &mut Reader<'_>,
    scope: &Scope,
    found: &Found<'_>,
) -> Result<(), Mistake> {
    refuse_unknown(reader, found.json, &found.way, "this container", OF_RESOURCE);
    let way = format!("{}/properties", found.way);
    let properties = required(reader, found.json, &found.way, "properties")?;
    refuse_unknown(reader, properties, &way, "a container", OF_PROPERTIES);
    let [database, name] = segments(reader, scope, found)?;
    let id = id(reader, scope, properties, &way, &name)?;
    let resource = required(reader, properties, &way, "resource")?;
    let way_inside = format!("{way}/resource");
    refuse_unknown(reader, resource, &way_inside, "a container", OF_CONTAINER);
    required(reader, resource, &way_inside, "partitionKey")?;
    let mut members = Vec::new();
    for member in OF_CONTAINER.iter().filter(|member| **member != "id") {
        let Some(value) = resource.get(member).filter(|value| **value != Json::Null) else {
            continue;
        };
        let way = format!("{way_inside}/{member}");
        let origin = reader.lines.origin(&way);
        if *member == "analyticalStorageTtl" {
            let what = format!(
                "analyticalStorageTtl of '{}' is left out: there is no analytical store here",
                id.value
            );
            reader.gathering.note(Some(&origin), what);
            continue;
        }
        if let Some((_, known)) = INSIDE.iter().find(|(name, _)| name == member) {
            refuse_unknown(reader, value, &way, member, known);
        }
        let value = reader.known(scope, value, &way)?;
        members.push((*member, Stated::new(value, origin)));
    }
    let throughput = throughput(reader, scope, properties, &way)?;
    reader.gathering.containers.push(ContainerDraft { database, id, members, throughput });
    Ok(())
}

/// The parts of the name after the account, which need not be known.
fn segments<const N: usize>(
    reader: &Reader<'_>,
    scope: &Scope,
    found: &Found<'_>,
) -> Result<[Stated<String>; N], Mistake> {
    let way = format!("{}/name", found.way);
    let parts: Vec<&str> = found.name.split('/').collect();
    let of_account = parts.len().checked_sub(N).filter(|accounts| *accounts == 1);
    let Some(of_account) = of_account else {
        let message = format!(
            "the name of this resource has {} parts, not {}: the account and what is in it",
            parts.len(),
            N + 1
        );
        return Err(reader.at(&way, message));
    };
    let mut stated = Vec::new();
    for part in parts.into_iter().skip(of_account) {
        if let Some(why) = scope.unknown(&Json::from(part)) {
            return Err(reader.at(&way, why));
        }
        stated.push(Stated::new(part.to_owned(), reader.lines.origin(&way)));
    }
    stated.try_into().map_err(|_| reader.at(&way, "the name has too few parts".to_owned()))
}

/// The id of a resource, which says the same as the end of its name.
fn id(
    reader: &Reader<'_>,
    scope: &Scope,
    properties: &Json,
    way: &str,
    name: &Stated<String>,
) -> Result<Stated<String>, Mistake> {
    let way = format!("{way}/resource");
    let resource = properties.get("resource").ok_or_else(|| {
        reader.at(&way, format!("'{}' has no 'resource'; give it one with an id", name.value))
    })?;
    let given = required(reader, resource, &way, "id")?;
    let way = format!("{way}/id");
    let id = reader.known(scope, given, &way)?;
    match id.as_str() {
        Some(id) if id == name.value => Ok(Stated::new(id.to_owned(), reader.lines.origin(&way))),
        _ => {
            let message = format!("the id {id} differs from '{}', the end of the name", name.value);
            Err(reader.at(&way, message))
        }
    }
}

fn throughput(
    reader: &mut Reader<'_>,
    scope: &Scope,
    properties: &Json,
    way: &str,
) -> Result<ThroughputDraft, Mistake> {
    let way = format!("{way}/options");
    let Some(options) = properties.get("options") else { return Ok(ThroughputDraft::default()) };
    let options = reader.known(scope, options, &way)?;
    refuse_unknown(reader, &options, &way, "options", OF_OPTIONS);
    let number = |value: Option<&Json>, name: &str| {
        let way = format!("{way}/{name}");
        let Some(value) = value.filter(|value| **value != Json::Null) else { return Ok(None) };
        match value.as_i64() {
            Some(number) => Ok(Some(Stated::new(number, reader.lines.origin(&way)))),
            None => Err(reader.at(&way, format!("{name} is a whole number, not {value}"))),
        }
    };
    let autoscale = options.get("autoscaleSettings").and_then(|it| it.get("maxThroughput"));
    Ok(ThroughputDraft {
        manual: number(options.get("throughput"), "throughput")?,
        autoscale_max: number(autoscale, "autoscaleSettings/maxThroughput")?,
    })
}

fn required<'t>(
    reader: &Reader<'_>,
    json: &'t Json,
    way: &str,
    name: &str,
) -> Result<&'t Json, Mistake> {
    json.get(name).ok_or_else(|| reader.at(way, format!("'{name}' is missing here")))
}

fn refuse_unknown(reader: &mut Reader<'_>, json: &Json, way: &str, thing: &str, known: &[&str]) {
    let Some(object) = json.as_object() else { return };
    for (name, _) in object.iter().filter(|(name, _)| !known.contains(name)) {
        let message = format!("{thing} knows no '{name}'; it knows {}", known.join(", "));
        let mistake = reader.at(&format!("{way}/{name}"), message);
        reader.gathering.mistakes.push(mistake);
    }
}
