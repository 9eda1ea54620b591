//! Databases and containers among the resources of Terraform files.
//!
//! Owns the arguments of the two resources, old and current. Does not own their values: see `scope`.

use std::path::{Path, PathBuf};

use model::Json;

use super::arguments::{Arguments, list, object};
use super::given;
use super::module::{Module, Resource};
use super::scope::{DATABASE, Iteration, Scope};
use crate::schema::origin::{Mistake, Mistakes, Source};
use crate::schema::read::gather::{
    ContainerDraft, DatabaseDraft, Gathering, Stated, ThroughputDraft,
};
use crate::schema::read::options::load;
use crate::schema::read::{ReadOptions, Reading};

const CONTAINER: &str = "azurerm_cosmosdb_sql_container";
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
    options: &ReadOptions,
) -> Result<Reading, Mistakes> {
    let is_terraform = |path: &PathBuf| path.extension().is_some_and(|it| it == "tf");
    let paths: Vec<_> = given::entries(folder).into_iter().filter(is_terraform).collect();
    if paths.is_empty() {
        let message = format!("{} has no .tf files", folder.display());
        return Err(Mistake::anywhere(message).into());
    }
    let sources = paths.iter().map(|path| load(path)).collect::<Result<Vec<_>, _>>()?;
    read(sources, &given::automatic_files(folder), options)
}

/// Reads single files.
pub(in super::super) fn read_files(
    sources: Vec<Source>,
    options: &ReadOptions,
) -> Result<Reading, Mistakes> {
    read(sources, &[], options)
}

fn read(
    sources: Vec<Source>,
    automatic: &[PathBuf],
    options: &ReadOptions,
) -> Result<Reading, Mistakes> {
    let mut gathering = Gathering::default();
    let module = Module::parse(sources, &mut gathering.mistakes);
    if !gathering.mistakes.is_empty() {
        return gathering.finish();
    }
    let values = given::values(&module, automatic, options, &mut gathering);
    let scope = Scope::new(&module, values, options.database.as_deref());
    for resource in &module.resources {
        match resource.kind.as_str() {
            DATABASE => each_instance(&scope, resource, &mut gathering, database),
            CONTAINER => each_instance(&scope, resource, &mut gathering, container),
            _ => gathering.ignore(&resource.origin, format!("resource {}", resource.address())),
        }
    }
    for data in module.data.iter().filter(|data| data.kind != DATABASE) {
        gathering.ignore(&data.origin, format!("data {}", data.address()));
    }
    for (origin, what) in &module.others {
        gathering.ignore(origin, what.as_str());
    }
    for (address, name) in scope.assumed() {
        let what = match options.database {
            Some(_) => format!("{address} is not in these files; its name is '{name}', as given"),
            None => format!(
                "{address} is not in these files; its name is taken to be '{name}' \
                 (say another with --database)"
            ),
        };
        gathering.note(None, what);
    }
    gathering.finish()
}

type Draft = fn(&Arguments<'_>, &mut Gathering) -> Result<(), Mistake>;

fn each_instance(scope: &Scope<'_>, resource: &Resource, gathering: &mut Gathering, draft: Draft) {
    let thing = resource.address();
    let instances = gathering.keep(scope.instances(resource)).unwrap_or_default();
    for iteration in &instances {
        let iteration: Option<&Iteration> = iteration.as_ref();
        let (body, file, origin) = (&resource.body, resource.file, &resource.origin);
        let arguments = Arguments { scope, body, file, iteration, thing: &thing, origin };
        let drafted = draft(&arguments, gathering);
        gathering.keep(drafted);
    }
}

fn database(arguments: &Arguments<'_>, gathering: &mut Gathering) -> Result<(), Mistake> {
    arguments.refuse_unknown(OF_DATABASE, gathering);
    let id = arguments.required_text("name")?;
    let throughput = throughput(arguments, gathering)?;
    gathering.databases.push(DatabaseDraft { id, throughput });
    Ok(())
}

fn container(arguments: &Arguments<'_>, gathering: &mut Gathering) -> Result<(), Mistake> {
    arguments.refuse_unknown(OF_CONTAINER, gathering);
    let id = arguments.required_text("name")?;
    let database = arguments.required_text("database_name")?;
    let mut members = vec![("partitionKey", partition_key(arguments)?)];
    if let Some(seconds) = arguments.integer("default_ttl")? {
        members.push(("defaultTtl", Stated::new(Json::from(seconds.value), seconds.origin)));
    }
    if let Some(seconds) = arguments.integer("analytical_storage_ttl")? {
        let what = format!(
            "analytical_storage_ttl of '{}' is left out: there is no analytical store here",
            id.value
        );
        gathering.note(Some(&seconds.origin), what);
    }
    if let Some((block, origin)) = arguments.block("indexing_policy")? {
        let policy = indexing_policy(&arguments.inside(block, &origin), gathering)?;
        members.push(("indexingPolicy", Stated::new(policy, origin)));
    }
    members.extend(unique_keys(arguments, gathering)?.map(|keys| ("uniqueKeyPolicy", keys)));
    if let Some((block, origin)) = arguments.block("conflict_resolution_policy")? {
        let inside = arguments.inside(block, &origin);
        inside.refuse_unknown(OF_CONFLICTS, gathering);
        let text = |name| Ok::<_, Mistake>(inside.text(name)?.map(|text| text.value.into()));
        let policy = object([
            ("mode", Some(inside.required_text("mode")?.value.into())),
            ("conflictResolutionPath", text("conflict_resolution_path")?),
            ("conflictResolutionProcedure", text("conflict_resolution_procedure")?),
        ]);
        members.push(("conflictResolutionPolicy", Stated::new(policy, origin)));
    }
    let throughput = throughput(arguments, gathering)?;
    gathering.containers.push(ContainerDraft { database, id, members, throughput });
    Ok(())
}

/// `partition_key_paths`, or `partition_key_path` of older versions of the provider.
fn partition_key(arguments: &Arguments<'_>) -> Result<Stated<Json>, Mistake> {
    let old = arguments.text("partition_key_path")?;
    let current = arguments.texts("partition_key_paths")?;
    let paths = match (current, old) {
        (Some(_), Some(old)) => {
            return Err(Mistake::at(
                &old.origin,
                "partition_key_path and partition_key_paths are both given; give the second",
            ));
        }
        (Some(paths), None) => paths,
        (None, Some(path)) => Stated::new(vec![path.value], path.origin),
        (None, None) => return Err(arguments.missing("partition_key_paths")),
    };
    let kind = arguments.text("partition_key_kind")?.map(|kind| kind.value);
    let version = arguments.integer("partition_key_version")?;
    let key = object([
        ("paths", Some(list(&paths.value))),
        ("kind", Some(kind.unwrap_or_else(|| "Hash".to_owned()).into())),
        ("version", version.map(|version| version.value.into())),
    ]);
    Ok(Stated::new(key, paths.origin))
}

fn indexing_policy(arguments: &Arguments<'_>, gathering: &mut Gathering) -> Result<Json, Mistake> {
    arguments.refuse_unknown(OF_INDEXING, gathering);
    let mode = arguments.text("indexing_mode")?.map(|mode| mode.value.into());
    let mut composite = Vec::new();
    for (block, origin) in arguments.blocks("composite_index") {
        let inside = arguments.inside(block, &origin);
        inside.refuse_unknown(&["index"], gathering);
        composite.push(Json::Array(paths(&inside, "index", &["path", "order"], gathering)?));
    }
    let included = paths(arguments, "included_path", &["path"], gathering)?;
    let excluded = paths(arguments, "excluded_path", &["path"], gathering)?;
    // The provider computes the types of a spatial index; old versions let them be given.
    let spatial = paths(arguments, "spatial_index", &["path", "types"], gathering)?;
    let given = |list: Vec<Json>| (!list.is_empty()).then_some(Json::Array(list));
    Ok(object([
        ("indexingMode", mode),
        ("includedPaths", given(included)),
        ("excludedPaths", given(excluded)),
        ("compositeIndexes", given(composite)),
        ("spatialIndexes", given(spatial)),
    ]))
}

/// The blocks of a name, each with a path and what else it may have.
fn paths(
    arguments: &Arguments<'_>,
    name: &str,
    known: &[&str],
    gathering: &mut Gathering,
) -> Result<Vec<Json>, Mistake> {
    let mut found = Vec::new();
    for (block, origin) in arguments.blocks(name) {
        let inside = arguments.inside(block, &origin);
        inside.refuse_unknown(known, gathering);
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
    arguments: &Arguments<'_>,
    gathering: &mut Gathering,
) -> Result<Option<Stated<Json>>, Mistake> {
    let mut keys = Vec::new();
    let mut first = None;
    for (block, origin) in arguments.blocks("unique_key") {
        let inside = arguments.inside(block, &origin);
        inside.refuse_unknown(&["paths"], gathering);
        let paths = inside.texts("paths")?.ok_or_else(|| inside.missing("paths"))?;
        keys.push(object([("paths", Some(list(&paths.value)))]));
        first.get_or_insert(origin);
    }
    Ok(first.map(|origin| Stated::new(object([("uniqueKeys", Some(Json::Array(keys)))]), origin)))
}

fn throughput(
    arguments: &Arguments<'_>,
    gathering: &mut Gathering,
) -> Result<ThroughputDraft, Mistake> {
    let manual = arguments.integer("throughput")?;
    let autoscale_max = match arguments.block("autoscale_settings")? {
        Some((block, origin)) => {
            let inside = arguments.inside(block, &origin);
            inside.refuse_unknown(&["max_throughput"], gathering);
            inside.integer("max_throughput")?
        }
        None => None,
    };
    Ok(ThroughputDraft { manual, autoscale_max })
}
