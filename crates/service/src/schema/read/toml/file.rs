//! Tables of databases and containers.
//!
//! Owns the names of our own format; `docs/reference/schema.md` is their reference. Does not own their meaning: they
//! are translated into members of the wire format.

use model::{Json, Object};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::schema::location::{SchemaError, SchemaErrors, SourceFile, SourceLocation};
use crate::schema::read::builder::{
    ContainerDraft, DatabaseDraft, Located, SchemaBuilder, ThroughputDraft,
};
use crate::schema::read::parsed::ParsedSchema;

const AT_TOP: &[&str] = &["database"];
const OF_DATABASE: &[&str] = &["throughput", "autoscale_max_throughput", "container"];
const OF_CONTAINER: &[&str] = &[
    "partition_key",
    "partition_key_version",
    "partition_key_kind",
    "default_ttl",
    "throughput",
    "autoscale_max_throughput",
    "unique_keys",
    "indexing",
    "conflict_resolution",
    "more",
    "procedure",
    "trigger",
    "function",
];
const OF_INDEXING: &[&str] =
    &["mode", "automatic", "included", "excluded", "composite", "spatial", "vector", "full_text"];
const OF_CONFLICTS: &[&str] = &["mode", "path", "procedure"];
const OF_MORE: &[&str] = &[
    "geospatialConfig",
    "computedProperties",
    "changeFeedPolicy",
    "vectorEmbeddingPolicy",
    "fullTextPolicy",
];

pub(super) type TomlTable<'i> = DeTable<'i>;
type TomlValue<'i> = Spanned<DeValue<'i>>;

/// Reads a text in our own format.
pub(in crate::schema::read) fn read(source: &SourceFile) -> Result<ParsedSchema, SchemaErrors> {
    let table = TomlTable::parse(&source.text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let message = format!("this is no TOML: {}", error.message());
        SchemaErrors::from(SchemaError::at(&source.location(offset), message))
    })?;
    let mut reader = TomlReader { source, builder: SchemaBuilder::default() };
    reader.file(table.get_ref());
    reader.builder.finish()
}

pub(super) struct TomlReader<'s> {
    pub(super) source: &'s SourceFile,
    pub(super) builder: SchemaBuilder,
}

impl TomlReader<'_> {
    pub(super) fn location<T>(&self, spanned: &Spanned<T>) -> SourceLocation {
        self.source.location(spanned.span().start)
    }

    fn file(&mut self, table: &TomlTable<'_>) {
        self.reject_unknown("the file", table, AT_TOP);
        for (name, value) in self.tables(table, "database") {
            let id = Located::new(name.get_ref().to_string(), self.location(name));
            let database = value;
            self.reject_unknown(&format!("database '{}'", id.value), database, OF_DATABASE);
            let throughput = self.throughput(database);
            self.builder.databases.push(DatabaseDraft { id: id.clone(), throughput });
            for (name, value) in self.tables(database, "container") {
                self.container(&id, name, value);
            }
        }
    }

    fn container(
        &mut self,
        database: &Located<String>,
        name: &Spanned<std::borrow::Cow<'_, str>>,
        table: &TomlTable<'_>,
    ) {
        let id = Located::new(name.get_ref().to_string(), self.location(name));
        let thing = format!("container '{}/{}'", database.value, id.value);
        self.reject_unknown(&thing, table, OF_CONTAINER);
        let mut members = Vec::new();
        let throughput = self.throughput(table);
        // Checked here, because the error of the wire format would name `partitionKey`, which the file does not know.
        let Some(key) = table.get("partition_key") else {
            let message = format!("{thing} has no partition_key; give it one, like \"/userId\"");
            self.builder.errors.push(SchemaError::at(&id.location, message));
            return;
        };
        let value = self.partition_key(key, table);
        members.push(("partitionKey", Located::new(value, self.location(key))));
        if let Some(value) = table.get("default_ttl") {
            members.push(("defaultTtl", self.located(value)));
        }
        if let Some(value) = table.get("unique_keys") {
            members.push(("uniqueKeyPolicy", self.unique_keys(value)));
        }
        if let Some(indexing) = table.get("indexing")
            && let Some(policy) = self.indexing(indexing)
        {
            members.push(("indexingPolicy", Located::new(policy, self.location(indexing))));
        }
        if let Some(value) = table.get("conflict_resolution") {
            let names = [
                ("mode", "mode"),
                ("path", "conflictResolutionPath"),
                ("procedure", "conflictResolutionProcedure"),
            ];
            if let Some(policy) = self.renamed("conflict_resolution", value, OF_CONFLICTS, &names) {
                members
                    .push(("conflictResolutionPolicy", Located::new(policy, self.location(value))));
            }
        }
        self.more(table, &mut members);
        self.scripts(database, &id, table);
        let database = database.clone();
        self.builder.containers.push(ContainerDraft { database, id, members, throughput });
    }

    fn partition_key(&mut self, paths: &TomlValue<'_>, table: &TomlTable<'_>) -> Json {
        let paths = match to_json(paths.get_ref()) {
            Json::Array(paths) => paths,
            one => vec![one],
        };
        // Several paths are hierarchical partition keys, which the wire format names so.
        let kind = if paths.len() > 1 { "MultiHash" } else { "Hash" };
        let given = table.get("partition_key_kind").map(|kind| to_json(kind.get_ref()));
        let mut key = Object::new();
        key.insert("paths", paths);
        key.insert("kind", given.unwrap_or_else(|| kind.into()));
        if let Some(version) = table.get("partition_key_version") {
            key.insert("version", to_json(version.get_ref()));
        }
        Json::Object(key)
    }

    fn unique_keys(&mut self, value: &TomlValue<'_>) -> Located<Json> {
        let keys = to_json(value.get_ref());
        let keys = keys.as_array().unwrap_or_default().iter().map(|paths| {
            let paths = match paths {
                // A key of one path may be written without the inner list.
                Json::String(one) => Json::from(vec![Json::from(one.as_str())]),
                many => many.clone(),
            };
            object([("paths", paths)])
        });
        let policy = object([("uniqueKeys", Json::from(keys.collect::<Vec<_>>()))]);
        Located::new(policy, self.location(value))
    }

    fn indexing(&mut self, value: &TomlValue<'_>) -> Option<Json> {
        let names = [
            ("mode", "indexingMode"),
            ("automatic", "automatic"),
            ("included", "includedPaths"),
            ("excluded", "excludedPaths"),
            ("composite", "compositeIndexes"),
            ("spatial", "spatialIndexes"),
            ("vector", "vectorIndexes"),
            ("full_text", "fullTextIndexes"),
        ];
        let Json::Object(policy) = self.renamed("indexing", value, OF_INDEXING, &names)? else {
            return None;
        };
        let mut wire = Object::new();
        for (name, value) in policy.iter() {
            let value = match (name, value) {
                ("compositeIndexes", Json::Array(indexes)) => {
                    Json::Array(indexes.iter().map(composite).collect())
                }
                ("indexingMode" | "automatic", value) => value.clone(),
                (_, Json::Array(paths)) => Json::Array(paths.iter().map(path).collect()),
                (_, value) => value.clone(),
            };
            wire.insert(name, value);
        }
        Some(Json::Object(wire))
    }

    /// The remaining members of a container, with their names of the wire format.
    fn more(&mut self, table: &TomlTable<'_>, members: &mut Vec<(&'static str, Located<Json>)>) {
        let Some(more) = table.get("more") else { return };
        let Some(inner) = self.table_of("more", more) else { return };
        self.reject_unknown("more", inner, OF_MORE);
        for name in OF_MORE {
            if let Some(value) = inner.get(*name) {
                members.push((name, self.located(value)));
            }
        }
    }

    fn throughput(&mut self, table: &TomlTable<'_>) -> ThroughputDraft {
        ThroughputDraft {
            manual: self.integer(table, "throughput"),
            autoscale_max: self.integer(table, "autoscale_max_throughput"),
        }
    }

    fn integer(&mut self, table: &TomlTable<'_>, name: &str) -> Option<Located<i64>> {
        let value = table.get(name)?;
        let location = self.location(value);
        match to_json(value.get_ref()).as_i64() {
            Some(number) => Some(Located::new(number, location)),
            None => {
                let kind = value.get_ref().type_str();
                let message = format!("{name} is a whole number, not of type {kind}");
                self.builder.errors.push(SchemaError::at(&location, message));
                None
            }
        }
    }

    fn located(&self, value: &TomlValue<'_>) -> Located<Json> {
        Located::new(to_json(value.get_ref()), self.location(value))
    }

    /// A table with the names of the wire format.
    fn renamed(
        &mut self,
        thing: &str,
        value: &TomlValue<'_>,
        known: &[&str],
        names: &[(&str, &str)],
    ) -> Option<Json> {
        let table = self.table_of(thing, value)?;
        self.reject_unknown(thing, table, known);
        let mut wire = Object::new();
        for (ours, theirs) in names {
            if let Some(value) = table.get(*ours) {
                wire.insert(*theirs, to_json(value.get_ref()));
            }
        }
        Some(Json::Object(wire))
    }

    fn table_of<'v, 'i>(
        &mut self,
        thing: &str,
        value: &'v TomlValue<'i>,
    ) -> Option<&'v TomlTable<'i>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            let kind = value.get_ref().type_str();
            let message = format!("{thing} is a table, not of type {kind}");
            self.builder.errors.push(SchemaError::at(&self.location(value), message));
        }
        table
    }

    /// The named tables below a name.
    pub(super) fn tables<'v, 'i>(
        &mut self,
        table: &'v TomlTable<'i>,
        name: &str,
    ) -> Vec<(&'v Spanned<std::borrow::Cow<'i, str>>, &'v TomlTable<'i>)> {
        let Some(value) = table.get(name) else { return Vec::new() };
        let Some(named) = self.table_of(name, value) else { return Vec::new() };
        let mut tables: Vec<_> = named
            .iter()
            .filter_map(|(key, value)| {
                self.table_of(key.get_ref(), value).map(|table| (key, table))
            })
            .collect();
        // In the order of the file, not of the map, so that plans and errors read like the source.
        tables.sort_by_key(|(key, _)| key.span().start);
        tables
    }

    pub(super) fn reject_unknown(&mut self, thing: &str, table: &TomlTable<'_>, known: &[&str]) {
        for (key, _) in table.iter().filter(|(key, _)| !known.contains(&key.get_ref().as_ref())) {
            let message =
                format!("{thing} knows no '{}'; it knows {}", key.get_ref(), known.join(", "));
            self.builder.errors.push(SchemaError::at(&self.location(key), message));
        }
    }
}

/// A path, or a table that contains one.
fn path(value: &Json) -> Json {
    match value {
        Json::String(_) => object([("path", value.clone())]),
        other => other.clone(),
    }
}

/// A composite index: paths with an order after them, such as `/total descending`.
fn composite(paths: &Json) -> Json {
    // From the right, because a quoted name in a path may contain spaces.
    let one = |value: &Json| match value.as_str().and_then(|text| text.rsplit_once(' ')) {
        Some((path, order @ ("ascending" | "descending"))) => {
            object([("path", path.trim().into()), ("order", order.into())])
        }
        _ => path(value),
    };
    match paths {
        Json::Array(paths) => Json::Array(paths.iter().map(one).collect()),
        other => other.clone(),
    }
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    let mut object = Object::new();
    for (name, value) in members {
        object.insert(name, value);
    }
    Json::Object(object)
}

fn to_json(value: &DeValue<'_>) -> Json {
    match value {
        DeValue::String(text) => Json::from(text.as_ref()),
        DeValue::Boolean(value) => Json::from(*value),
        DeValue::Integer(number) => {
            let digits = number.as_str();
            // A number beyond i64 becomes a text, which the checks of the wire format refuse with its name.
            i64::from_str_radix(digits, number.radix()).map_or_else(|_| digits.into(), Json::from)
        }
        DeValue::Float(number) => {
            Json::parse(number.as_str().as_bytes()).unwrap_or_else(|_| number.as_str().into())
        }
        DeValue::Datetime(time) => Json::from(time.to_string()),
        DeValue::Array(values) => {
            Json::Array(values.iter().map(|value| to_json(value.get_ref())).collect())
        }
        DeValue::Table(table) => {
            let mut object = Object::new();
            for (key, value) in table.iter() {
                object.insert(key.get_ref().to_string(), to_json(value.get_ref()));
            }
            Json::Object(object)
        }
    }
}
