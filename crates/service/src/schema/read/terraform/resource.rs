//! The databases and containers in Terraform files.
//!
//! Owns the arguments of these two resources, old and current; those of scripts are in `script`. Does not own
//! evaluating them: see `scope`.

use std::path::{Path, PathBuf};

use model::Json;

use super::arguments::{ResourceArguments, list, object};
use super::instance::ResourceInstance;
use super::module::{TerraformModule, TerraformResource, folder_sources};
use super::scope::{CONTAINER, DATABASE, TerraformScope};
use super::script;
use super::variables;
use crate::schema::location::{SchemaError, SchemaErrors, SourceFile};
use crate::schema::read::builder::{
    ContainerDraft, DatabaseDraft, Located, SchemaBuilder, ThroughputDraft,
};
use crate::schema::read::parsed::{ParsedSchema, SchemaReadOptions};

const OF_DATABASE: &[&str] =
    &["name", "resource_group_name", "account_name", "throughput", "autoscale_settings"];
const OF_CONTAINER: &[&str] = &[
    "name",
    "resource_group_name",
    "account_name",
    "database_name",
    "partition_key_path",
    "partition_key_paths",
    "partition_key_kind",
    "partition_key_version",
    "unique_key",
    "throughput",
    "autoscale_settings",
    "indexing_policy",
    "default_ttl",
    "analytical_storage_ttl",
    "conflict_resolution_policy",
];
const OF_INDEXING: &[&str] =
    &["indexing_mode", "included_path", "excluded_path", "composite_index", "spatial_index"];
const OF_CONFLICTS: &[&str] =
    &["mode", "conflict_resolution_path", "conflict_resolution_procedure"];

/// Reads all `.tf` files of a folder.
pub(in super::super) fn read_folder(
    folder: &Path,
    options: &SchemaReadOptions,
) -> Result<ParsedSchema, SchemaErrors> {
    read(folder_sources(folder)?, &variables::automatic_files(folder), options)
}

/// Reads single files.
pub(in super::super) fn read_files(
    sources: Vec<SourceFile>,
    options: &SchemaReadOptions,
) -> Result<ParsedSchema, SchemaErrors> {
    read(sources, &[], options)
}

fn read(
    sources: Vec<SourceFile>,
    automatic: &[PathBuf],
    options: &SchemaReadOptions,
) -> Result<ParsedSchema, SchemaErrors> {
    let mut builder = SchemaBuilder::new(options);
    let module = TerraformModule::parse(sources, &mut builder.errors);
    // Values cannot be resolved if some of the files were not read.
    if !builder.errors.is_empty() {
        return builder.finish();
    }
    let values = variables::values(&module, automatic, options, &mut builder);
    let scope = TerraformScope::new(&module, values, options.database.as_deref());
    read_module(&scope, options, &mut builder);
    builder.finish()
}

/// Reads the resources of a module and of those that it calls.
fn read_module(
    scope: &TerraformScope<'_>,
    options: &SchemaReadOptions,
    builder: &mut SchemaBuilder,
) {
    let module = scope.module;
    for resource in &module.resources {
        match resource.kind.as_str() {
            DATABASE => each_instance(scope, resource, builder, database),
            CONTAINER => each_instance(scope, resource, builder, container),
            script::PROCEDURE => each_instance(scope, resource, builder, script::procedure),
            script::TRIGGER => each_instance(scope, resource, builder, script::trigger),
            script::FUNCTION => each_instance(scope, resource, builder, script::function),
            _ => builder.ignore(&resource.location, format!("resource {}", resource.address())),
        }
    }
    // A data source of a database is not left out: containers take its name.
    for data in module.data.iter().filter(|data| data.kind != DATABASE) {
        builder.ignore(&data.location, format!("data {}", data.address()));
    }
    for (location, what) in &module.others {
        builder.ignore(location, what.as_str());
    }
    for call in &module.calls {
        match &call.module {
            Err(why) => {
                let what = format!("the module '{}' ({why})", call.block.label);
                builder.unread(&call.block.location, what);
            }
            Ok(called) => {
                let instances = builder.keep(scope.instances(&call.block)).unwrap_or_default();
                for iteration in &instances {
                    let inside = scope.inside(&call.block, called, iteration.as_ref());
                    read_module(&inside, options, builder);
                }
            }
        }
    }
    for (address, name) in scope.assumed() {
        let what = match options.database {
            Some(_) => format!("{address} is not in these files; its name is '{name}', as given"),
            None => format!(
                "{address} is not in these files; its name is taken to be '{name}' \
                 (say another with --database)"
            ),
        };
        builder.note(None, what);
    }
}

type Draft = fn(&ResourceArguments<'_>, &mut SchemaBuilder) -> Result<(), SchemaError>;

fn each_instance(
    scope: &TerraformScope<'_>,
    resource: &TerraformResource,
    builder: &mut SchemaBuilder,
    draft: Draft,
) {
    let thing = resource.address();
    let instances = builder.keep(scope.instances(resource)).unwrap_or_default();
    for iteration in &instances {
        let iteration: Option<&ResourceInstance> = iteration.as_ref();
        let (body, file, location) = (&resource.body, resource.file, &resource.location);
        let arguments = ResourceArguments { scope, body, file, iteration, thing: &thing, location };
        let drafted = draft(&arguments, builder);
        builder.keep(drafted);
    }
}

fn database(
    arguments: &ResourceArguments<'_>,
    builder: &mut SchemaBuilder,
) -> Result<(), SchemaError> {
    arguments.reject_unknown(OF_DATABASE, builder);
    let id = arguments.required_text("name")?;
    let throughput = throughput(arguments, builder)?;
    builder.databases.push(DatabaseDraft { id, throughput });
    Ok(())
}

fn container(
    arguments: &ResourceArguments<'_>,
    builder: &mut SchemaBuilder,
) -> Result<(), SchemaError> {
    arguments.reject_unknown(OF_CONTAINER, builder);
    let id = arguments.required_text("name")?;
    let database = arguments.required_text("database_name")?;
    let mut members = vec![("partitionKey", partition_key(arguments)?)];
    if let Some(seconds) = arguments.integer("default_ttl")? {
        members.push(("defaultTtl", Located::new(Json::from(seconds.value), seconds.location)));
    }
    if let Some(seconds) = arguments.integer("analytical_storage_ttl")? {
        let what = format!(
            "analytical_storage_ttl of '{}' is left out: there is no analytical store here",
            id.value
        );
        builder.note(Some(&seconds.location), what);
    }
    if let Some(block) = arguments.block("indexing_policy")? {
        let policy = indexing_policy(&arguments.inside(&block), builder)?;
        members.push(("indexingPolicy", Located::new(policy, block.location)));
    }
    members.extend(unique_keys(arguments, builder)?.map(|keys| ("uniqueKeyPolicy", keys)));
    if let Some(block) = arguments.block("conflict_resolution_policy")? {
        let inside = arguments.inside(&block);
        inside.reject_unknown(OF_CONFLICTS, builder);
        let text = |name| Ok::<_, SchemaError>(inside.text(name)?.map(|text| text.value.into()));
        let policy = object([
            ("mode", Some(inside.required_text("mode")?.value.into())),
            ("conflictResolutionPath", text("conflict_resolution_path")?),
            ("conflictResolutionProcedure", text("conflict_resolution_procedure")?),
        ]);
        members.push(("conflictResolutionPolicy", Located::new(policy, block.location.clone())));
    }
    let throughput = throughput(arguments, builder)?;
    builder.containers.push(ContainerDraft { database, id, members, throughput });
    Ok(())
}

/// `partition_key_paths`, or `partition_key_path` of older versions of the provider.
fn partition_key(arguments: &ResourceArguments<'_>) -> Result<Located<Json>, SchemaError> {
    let old = arguments.text("partition_key_path")?;
    let current = arguments.texts("partition_key_paths")?;
    let paths = match (current, old) {
        (Some(_), Some(old)) => {
            return Err(SchemaError::at(
                &old.location,
                "partition_key_path and partition_key_paths are both given; give the second",
            ));
        }
        (Some(paths), None) => paths,
        (None, Some(path)) => Located::new(vec![path.value], path.location),
        (None, None) => return Err(arguments.missing("partition_key_paths")),
    };
    let kind = arguments.text("partition_key_kind")?.map(|kind| kind.value);
    let version = arguments.integer("partition_key_version")?;
    let key = object([
        ("paths", Some(list(&paths.value))),
        ("kind", Some(kind.unwrap_or_else(|| "Hash".to_owned()).into())),
        ("version", version.map(|version| version.value.into())),
    ]);
    Ok(Located::new(key, paths.location))
}

fn indexing_policy(
    arguments: &ResourceArguments<'_>,
    builder: &mut SchemaBuilder,
) -> Result<Json, SchemaError> {
    arguments.reject_unknown(OF_INDEXING, builder);
    let mode = arguments.text("indexing_mode")?.map(|mode| mode.value.into());
    let mut composite = Vec::new();
    for block in arguments.blocks("composite_index")? {
        let inside = arguments.inside(&block);
        inside.reject_unknown(&["index"], builder);
        composite.push(Json::Array(paths(&inside, "index", &["path", "order"], builder)?));
    }
    let included = paths(arguments, "included_path", &["path"], builder)?;
    let excluded = paths(arguments, "excluded_path", &["path"], builder)?;
    // The provider computes the types of a spatial index; old versions let them be given.
    let spatial = paths(arguments, "spatial_index", &["path", "types"], builder)?;
    let given = |list: Vec<Json>| (!list.is_empty()).then_some(Json::Array(list));
    Ok(object([
        ("indexingMode", mode),
        ("includedPaths", given(included)),
        ("excludedPaths", given(excluded)),
        ("compositeIndexes", given(composite)),
        ("spatialIndexes", given(spatial)),
    ]))
}

/// The blocks of a name, each with a path and optional arguments.
fn paths(
    arguments: &ResourceArguments<'_>,
    name: &str,
    known: &[&str],
    builder: &mut SchemaBuilder,
) -> Result<Vec<Json>, SchemaError> {
    let mut found = Vec::new();
    for block in arguments.blocks(name)? {
        let inside = arguments.inside(&block);
        inside.reject_unknown(known, builder);
        let order = match known.contains(&"order") {
            true => inside.text("order")?.map(|order| order.value.into()),
            false => None,
        };
        let types = match known.contains(&"types") {
            true => inside.texts("types")?.map(|types| list(&types.value)),
            false => None,
        };
        let path = inside.required_text("path")?.value;
        found.push(object([("path", Some(path.into())), ("order", order), ("types", types)]));
    }
    Ok(found)
}

fn unique_keys(
    arguments: &ResourceArguments<'_>,
    builder: &mut SchemaBuilder,
) -> Result<Option<Located<Json>>, SchemaError> {
    let mut keys = Vec::new();
    let mut first = None;
    for block in arguments.blocks("unique_key")? {
        let inside = arguments.inside(&block);
        inside.reject_unknown(&["paths"], builder);
        let paths = inside.texts("paths")?.ok_or_else(|| inside.missing("paths"))?;
        keys.push(object([("paths", Some(list(&paths.value)))]));
        first.get_or_insert_with(|| block.location.clone());
    }
    Ok(first
        .map(|location| Located::new(object([("uniqueKeys", Some(Json::Array(keys)))]), location)))
}

fn throughput(
    arguments: &ResourceArguments<'_>,
    builder: &mut SchemaBuilder,
) -> Result<ThroughputDraft, SchemaError> {
    let manual = arguments.integer("throughput")?;
    let autoscale_max = match arguments.block("autoscale_settings")? {
        Some(block) => {
            let inside = arguments.inside(&block);
            inside.reject_unknown(&["max_throughput"], builder);
            inside.integer("max_throughput")?
        }
        None => None,
    };
    Ok(ThroughputDraft { manual, autoscale_max })
}
