//! The schema that an application declares: databases with their containers, and those with their scripts.
//!
//! Owns the values, which properties a container leaves undeclared, and that no name is declared twice. Does not own
//! any file format, nor the comparison with an account.

use std::collections::BTreeSet;

use client::{Account, DatabaseId, PartitionKeyDefinition, Throughput, TimeToLive};
use model::{
    CompositeIndex, CompositeOrder, CompositePath, ConflictResolutionPolicy, ContainerId,
    ContainerProperties, GeospatialConfig, IndexPath, IndexingPolicy, Json, Object, PropertyPath,
    UniqueKey, ValidationError,
};

use super::script::{ScriptSchema, ScriptStore};

/// The databases and containers that an application needs.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use client::{Account, StorageLocation, Throughput, TimeToLive};
/// use planisphere_service::schema::{ContainerSchema, DatabaseSchema, Schema};
///
/// let orders = ContainerSchema::new("orders", &["/customer"])?
///     .with_time_to_live(TimeToLive::Seconds(86_400))
///     .with_composite_index(&["/status", "/total descending"])?
///     .with_throughput(Throughput::manual(400)?);
/// let schema = Schema::new([DatabaseSchema::new("shop", [orders])?])?;
///
/// let account = Account::embedded(StorageLocation::Memory).await?;
/// schema.apply(&account).await?;
/// assert!(schema.plan(&account).await?.is_up_to_date());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    databases: Vec<DatabaseSchema>,
}

/// A database and its containers.
#[derive(Clone, Debug, PartialEq)]
pub struct DatabaseSchema {
    id: DatabaseId,
    throughput: Option<Throughput>,
    containers: Vec<ContainerSchema>,
}

/// A container.
#[derive(Clone, Debug, PartialEq)]
pub struct ContainerSchema {
    properties: ContainerProperties,
    throughput: Option<Throughput>,
    declared: BTreeSet<OptionalProperty>,
    scripts: Vec<ScriptSchema>,
}

/// A property that a declaration may omit. It is compared and changed only if it was declared, so that a short file
/// does not reset what others have configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OptionalProperty {
    PartitionKeyVersion,
    ConflictResolution,
    Geospatial,
    ComputedProperties,
    ChangeFeed,
    VectorEmbeddings,
    FullText,
    VectorIndexes,
    FullTextIndexes,
    /// Types and bounds of spatial indexes.
    SpatialTypes,
}

impl Schema {
    /// A schema of these databases.
    ///
    /// # Errors
    /// If a name is declared twice.
    pub fn new(
        databases: impl IntoIterator<Item = DatabaseSchema>,
    ) -> Result<Self, ValidationError> {
        let schema = Self { databases: databases.into_iter().collect() };
        let mut seen = BTreeSet::new();
        match schema.databases.iter().find(|database| !seen.insert(&database.id)) {
            Some(twice) => Err(ValidationError::new(format!(
                "The database '{}' is declared twice; declare it once.",
                twice.id
            ))),
            None => Ok(schema),
        }
    }

    /// The databases, in the order of declaration.
    #[must_use]
    pub fn databases(&self) -> &[DatabaseSchema] {
        &self.databases
    }

    /// The same schema with a database renamed, for settings that choose the name.
    ///
    /// # Errors
    /// If the name is invalid, or another database of the schema has it.
    pub fn with_database_named(self, old: &str, new: &str) -> Result<Self, ValidationError> {
        let id = DatabaseId::new(new)?;
        Self::new(self.databases.into_iter().map(|database| match database.id.as_str() == old {
            true => DatabaseSchema { id: id.clone(), ..database },
            false => database,
        }))
    }

    /// Keeps only the databases that satisfy a condition.
    #[must_use]
    pub fn only(mut self, keep: impl Fn(&DatabaseSchema) -> bool) -> Self {
        self.databases.retain(keep);
        self
    }

    /// Reads the schema of an account.
    ///
    /// # Errors
    /// Those of listing databases and containers.
    pub async fn read(account: &Account) -> client::Result<Self> {
        let mut databases = Vec::new();
        for id in account.list_databases().await?.value {
            let database = account.database(id.as_str())?;
            let mut containers = Vec::new();
            for properties in database.list_containers().await?.value {
                let container = database.container(properties.id.as_str())?;
                let throughput = container.read_throughput().await?.value;
                containers.push(ContainerSchema {
                    throughput,
                    ..ContainerSchema::from_properties(properties)
                });
            }
            let throughput = database.read_throughput().await?.value;
            databases.push(DatabaseSchema { id, throughput, containers });
        }
        Ok(Self { databases })
    }

    /// Adds the scripts that the containers of an account have.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn with_scripts_of(
        mut self,
        store: &dyn ScriptStore,
    ) -> Result<Self, super::script::ScriptStoreError> {
        for database in &mut self.databases {
            for container in &mut database.containers {
                container.scripts = store.list(&database.id, container.id()).await?;
            }
        }
        Ok(self)
    }
}

impl DatabaseSchema {
    /// A database with these containers.
    ///
    /// # Errors
    /// If the name is invalid, or a container is declared twice.
    pub fn new(
        id: &str,
        containers: impl IntoIterator<Item = ContainerSchema>,
    ) -> Result<Self, ValidationError> {
        let id = DatabaseId::new(id)?;
        let containers: Vec<_> = containers.into_iter().collect();
        let mut seen = BTreeSet::new();
        match containers.iter().find(|container| !seen.insert(container.id())) {
            Some(twice) => Err(ValidationError::new(format!(
                "The container '{id}/{}' is declared twice; declare it once.",
                twice.id()
            ))),
            None => Ok(Self { id, throughput: None, containers }),
        }
    }

    /// The same database with throughput shared by its containers.
    #[must_use]
    pub fn with_throughput(self, throughput: Throughput) -> Self {
        Self { throughput: Some(throughput), ..self }
    }

    /// The name.
    #[must_use]
    pub fn id(&self) -> &DatabaseId {
        &self.id
    }

    /// The throughput shared by its containers; `None` leaves it unchanged.
    #[must_use]
    pub fn throughput(&self) -> Option<Throughput> {
        self.throughput
    }

    /// The containers, in the order of declaration.
    #[must_use]
    pub fn containers(&self) -> &[ContainerSchema] {
        &self.containers
    }
}

impl ContainerSchema {
    /// A container with a partition key of one to three paths and the defaults of the service.
    ///
    /// # Errors
    /// If the name or a path is invalid.
    pub fn new(id: &str, partition_key_paths: &[&str]) -> Result<Self, ValidationError> {
        let key = match partition_key_paths {
            [path] => PartitionKeyDefinition::single(path)?,
            paths => PartitionKeyDefinition::hierarchical(paths)?,
        };
        let properties = ContainerProperties::new(ContainerId::new(id)?, key);
        Ok(Self { properties, throughput: None, declared: BTreeSet::new(), scripts: Vec::new() })
    }

    /// A container with exactly these properties.
    #[must_use]
    pub fn from_properties(properties: ContainerProperties) -> Self {
        let policy = &properties.indexing_policy;
        let chosen = [
            // An existing container always has a version, so an export must state it.
            (true, OptionalProperty::PartitionKeyVersion),
            (
                properties.conflict_resolution != ConflictResolutionPolicy::default(),
                OptionalProperty::ConflictResolution,
            ),
            (
                properties.geospatial_config != GeospatialConfig::default(),
                OptionalProperty::Geospatial,
            ),
            (!properties.computed_properties.is_empty(), OptionalProperty::ComputedProperties),
            (properties.change_feed_policy.is_some(), OptionalProperty::ChangeFeed),
            (properties.vector_embedding_policy.is_some(), OptionalProperty::VectorEmbeddings),
            (properties.full_text_policy.is_some(), OptionalProperty::FullText),
            (!policy.vector.is_empty(), OptionalProperty::VectorIndexes),
            (!policy.full_text.is_empty(), OptionalProperty::FullTextIndexes),
            (true, OptionalProperty::SpatialTypes),
        ];
        let declared = chosen.into_iter().filter(|(is, _)| *is).map(|(_, aspect)| aspect).collect();
        Self { properties, throughput: None, declared, scripts: Vec::new() }
    }

    /// A container from the members of its wire format. Absent members are undeclared, except time to live, indexing
    /// policy and unique keys, whose absence means none, the default, and none.
    pub(super) fn from_members(json: &Json) -> Result<Self, ValidationError> {
        let member = |path: &[&str]| {
            path.iter()
                .try_fold(json, |at, name| element(at, name))
                // Tools write null for what was not set.
                .is_some_and(|at| *at != Json::Null)
        };
        let named = [
            (OptionalProperty::PartitionKeyVersion, &["partitionKey", "version"][..]),
            (OptionalProperty::ConflictResolution, &["conflictResolutionPolicy"]),
            (OptionalProperty::Geospatial, &["geospatialConfig"]),
            (OptionalProperty::ComputedProperties, &["computedProperties"]),
            (OptionalProperty::ChangeFeed, &["changeFeedPolicy"]),
            (OptionalProperty::VectorEmbeddings, &["vectorEmbeddingPolicy"]),
            (OptionalProperty::FullText, &["fullTextPolicy"]),
            (OptionalProperty::VectorIndexes, &["indexingPolicy", "vectorIndexes"]),
            (OptionalProperty::FullTextIndexes, &["indexingPolicy", "fullTextIndexes"]),
            (OptionalProperty::SpatialTypes, &["indexingPolicy", "spatialIndexes", "0", "types"]),
        ];
        let declared: BTreeSet<OptionalProperty> =
            named.iter().filter(|(_, path)| member(path)).map(|(aspect, _)| *aspect).collect();
        let mut completed = json.clone();
        if let (Json::Object(members), Some(Json::Object(key))) =
            (&mut completed, json.get("partitionKey"))
            // The wire format reads an absent version as 1, but nobody wants a new container with it.
            && !declared.contains(&OptionalProperty::PartitionKeyVersion)
        {
            members.insert("partitionKey", newest_version(key));
        }
        let properties = ContainerProperties::from_json(&completed)?;
        Ok(Self { properties, throughput: None, declared, scripts: Vec::new() })
    }

    /// The same container with another time to live.
    #[must_use]
    pub fn with_time_to_live(mut self, default: TimeToLive) -> Self {
        self.properties.default_time_to_live = default;
        self
    }

    /// The same container with another indexing policy.
    #[must_use]
    pub fn with_indexing_policy(mut self, policy: IndexingPolicy) -> Self {
        if !policy.vector.is_empty() {
            self.declared.insert(OptionalProperty::VectorIndexes);
        }
        if !policy.full_text.is_empty() {
            self.declared.insert(OptionalProperty::FullTextIndexes);
        }
        self.properties.indexing_policy = policy;
        self
    }

    /// The same container with one more composite index; an order may follow a path, as in `/total descending`.
    ///
    /// # Errors
    /// If a path is invalid.
    pub fn with_composite_index(mut self, paths: &[&str]) -> Result<Self, ValidationError> {
        let path = |text: &&str| {
            let (path, order) = match text.strip_suffix(" descending") {
                Some(path) => (path, CompositeOrder::Descending),
                None => {
                    (text.strip_suffix(" ascending").unwrap_or(text), CompositeOrder::Ascending)
                }
            };
            Ok(CompositePath { path: IndexPath::parse_implied_scalar(path)?, order })
        };
        let paths = paths.iter().map(path).collect::<Result<_, ValidationError>>()?;
        self.properties.indexing_policy.composite.push(CompositeIndex { paths });
        Ok(self)
    }

    /// The same container with one more unique key.
    ///
    /// # Errors
    /// If a path is invalid.
    pub fn with_unique_key(mut self, paths: &[&str]) -> Result<Self, ValidationError> {
        let paths = paths.iter().map(|path| PropertyPath::parse(path)).collect::<Result<_, _>>()?;
        self.properties.unique_keys.push(UniqueKey::new(paths)?);
        Ok(self)
    }

    /// The same container with one more script.
    ///
    /// # Errors
    /// If it is declared twice.
    pub fn with_script(mut self, script: ScriptSchema) -> Result<Self, ValidationError> {
        if self.scripts.iter().any(|known| known.is_same_resource(&script)) {
            return Err(ValidationError::new(format!(
                "The {} '{}' of the container '{}' is declared twice; declare it once.",
                script.kind(),
                script.id(),
                self.id()
            )));
        }
        self.scripts.push(script);
        Ok(self)
    }

    /// The same container with throughput of its own.
    #[must_use]
    pub fn with_throughput(self, throughput: Throughput) -> Self {
        Self { throughput: Some(throughput), ..self }
    }

    pub(super) fn with_own_throughput(self, throughput: Option<Throughput>) -> Self {
        Self { throughput, ..self }
    }

    /// The name.
    #[must_use]
    pub fn id(&self) -> &ContainerId {
        &self.properties.id
    }

    /// The properties, including the defaults of the service.
    #[must_use]
    pub fn properties(&self) -> &ContainerProperties {
        &self.properties
    }

    /// Its own throughput; `None` leaves it unchanged.
    #[must_use]
    pub fn throughput(&self) -> Option<Throughput> {
        self.throughput
    }

    /// The scripts that it declares; others that an account has are left alone.
    #[must_use]
    pub fn scripts(&self) -> &[ScriptSchema] {
        &self.scripts
    }

    pub(super) fn declares(&self, aspect: OptionalProperty) -> bool {
        self.declared.contains(&aspect)
    }
}

/// A member of an object, or the first element of a list.
fn element<'j>(json: &'j Json, name: &str) -> Option<&'j Json> {
    match json {
        Json::Array(values) => values.first(),
        other => other.get(name),
    }
}

/// The same definition with version 2, which new containers get by default.
pub(super) fn newest_version(key: &Object) -> Json {
    let mut key = key.clone();
    key.insert("version", 2);
    Json::Object(key)
}
