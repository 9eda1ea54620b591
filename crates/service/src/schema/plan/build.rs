//! Builds a plan by comparing an account with a schema.
//!
//! Owns which step follows from which difference, and what an account cannot do. Does not own the comparison of one
//! container, nor the effects.

use std::collections::BTreeMap;

use client::{Account, Container, ContainerProperties, Database, ErrorKind, Result, Throughput};

use super::compare::{self, INDEXING_POLICY, TIME_TO_LIVE, compare};
use super::effect;
use super::step::{
    Effect, Obstacle, PropertyChange, SchemaPlan, SchemaStep, UndeclaredResource, Workaround,
};
use crate::schema::declaration::{ContainerSchema, DatabaseSchema, Schema};

impl Schema {
    /// Plans the changes that make an account match this schema. Scripts that it declares are obstacles here: see
    /// [`Schema::plan_with_scripts`].
    ///
    /// # Errors
    /// Those of reading the account.
    pub async fn plan(&self, account: &Account) -> Result<SchemaPlan> {
        let mut plan = self.plan_containers(account).await?;
        plan.refuse_scripts(self);
        Ok(plan)
    }

    pub(super) async fn plan_containers(&self, account: &Account) -> Result<SchemaPlan> {
        let mut plan = SchemaPlan::default();
        for declared in self.databases() {
            plan.database(account, declared).await?;
        }
        for id in account.list_databases().await?.value {
            if !self.databases().iter().any(|declared| *declared.id() == id) {
                plan.undeclared.push(UndeclaredResource::Database(id));
            }
        }
        Ok(plan)
    }
}

impl SchemaPlan {
    async fn database(&mut self, account: &Account, declared: &DatabaseSchema) -> Result<()> {
        let database = account.database(declared.id().as_str())?;
        match database.read().await {
            Ok(_) => self.existing(&database, declared).await,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.missing(declared);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn missing(&mut self, declared: &DatabaseSchema) {
        let (database, throughput) = (declared.id().clone(), declared.throughput());
        self.steps.push(SchemaStep::CreateDatabase { database, throughput });
        for container in declared.containers() {
            self.create(declared, container);
        }
    }

    fn create(&mut self, declared: &DatabaseSchema, container: &ContainerSchema) {
        let (database, container) = (declared.id().clone(), Box::new(container.clone()));
        self.steps.push(SchemaStep::CreateContainer { database, container });
    }

    async fn existing(&mut self, database: &Database, declared: &DatabaseSchema) -> Result<()> {
        let before = self.changes();
        if let Some(wanted) = declared.throughput() {
            let actual = database.read_throughput().await?.value;
            self.throughput(database, None, actual, wanted);
        }
        self.count_same(before);
        let actual = database.list_containers().await?.value;
        let actual: BTreeMap<_, _> = actual.into_iter().map(|one| (one.id.clone(), one)).collect();
        for container in declared.containers() {
            match actual.get(container.id()) {
                Some(properties) => self.container(database, container, properties).await?,
                None => self.create(declared, container),
            }
        }
        for id in actual.keys() {
            if !declared.containers().iter().any(|container| container.id() == id) {
                self.undeclared
                    .push(UndeclaredResource::Container(database.id().clone(), id.clone()));
            }
        }
        Ok(())
    }

    async fn container(
        &mut self,
        database: &Database,
        declared: &ContainerSchema,
        actual: &ContainerProperties,
    ) -> Result<()> {
        let before = self.changes();
        let container = database.container(declared.id().as_str())?;
        // The properties are those of the account with the declared changes, so that undeclared ones survive the
        // replace.
        let (differences, properties) = compare(declared, actual);
        for (what, how, why) in differences.obstacles {
            self.obstacles.push(Obstacle {
                resource: format!("container {}", container.path()),
                property: what,
                differences: how,
                reason: why.to_owned(),
                workaround: copy_to_successor(&container, declared),
            });
        }
        let mut changes = Vec::new();
        for (what, how) in differences.changes {
            let effect = match what {
                TIME_TO_LIVE => Some(expiry(&container, &properties).await?),
                INDEXING_POLICY => {
                    // Counted only for the changes that touch items: counting reads the whole container.
                    Some(Effect::Reindexing { items: effect::items(&container).await? })
                }
                _ => None,
            };
            changes.push(PropertyChange { property: what, differences: how, effect });
        }
        if !changes.is_empty() {
            let database = database.id().clone();
            let properties = Box::new(properties);
            self.steps.push(SchemaStep::ReplaceProperties { database, changes, properties });
        }
        if let Some(wanted) = declared.throughput() {
            let actual = container.read_throughput().await?.value;
            self.throughput(database, Some((&container, declared)), actual, wanted);
        }
        self.count_same(before);
        Ok(())
    }

    fn throughput(
        &mut self,
        database: &Database,
        container: Option<(&Container, &ContainerSchema)>,
        actual: Option<Throughput>,
        wanted: Throughput,
    ) {
        let thing = match container {
            Some((container, _)) => format!("container {}", container.path()),
            None => format!("database {}", database.id()),
        };
        let Some(from) = actual else {
            self.obstacles.push(Obstacle {
                resource: thing,
                property: "throughput",
                differences: vec![format!("none of its own -> {}", per_second(wanted))],
                reason: "throughput of its own is given when it is created".to_owned(),
                workaround: match container {
                    Some((container, declared)) => copy_to_successor(container, declared),
                    None => Workaround::Instructions(
                        "give throughput to its containers, or copy them into a new database"
                            .to_owned(),
                    ),
                },
            });
            return;
        };
        if is_same_throughput(from, wanted) {
            return;
        }
        let is_switch =
            matches!(from, Throughput::Manual(_)) != matches!(wanted, Throughput::Manual(_));
        if is_switch && database.account().is_connected() {
            self.obstacles.push(Obstacle {
                resource: thing,
                property: "throughput",
                differences: vec![format!("{} -> {}", per_second(from), per_second(wanted))],
                reason: "the client library cannot switch between manual and autoscale".to_owned(),
                workaround: Workaround::Instructions(
                    "switch it in the portal, or with `az cosmosdb sql container throughput migrate`"
                        .to_owned(),
                ),
            });
            return;
        }
        self.steps.push(SchemaStep::ReplaceThroughput {
            database: database.id().clone(),
            container: container.map(|(container, _)| container.id().clone()),
            from,
            to: wanted,
        });
    }

    fn changes(&self) -> usize {
        self.steps.len() + self.obstacles.len()
    }

    fn count_same(&mut self, before: usize) {
        if self.changes() == before {
            self.unchanged += 1;
        }
    }
}

/// Compares the numbers only; the account manages how an autoscale maximum grows.
fn is_same_throughput(actual: Throughput, wanted: Throughput) -> bool {
    match (actual, wanted) {
        (Throughput::Manual(one), Throughput::Manual(other)) => one == other,
        (
            Throughput::Autoscale { maximum: one, .. },
            Throughput::Autoscale { maximum: other, .. },
        ) => one == other,
        _ => false,
    }
}

async fn expiry(container: &Container, properties: &ContainerProperties) -> Result<Effect> {
    let expiring = effect::expiring(container, properties.default_time_to_live).await?;
    Ok(Effect::Expiry { expiring, items: effect::items(container).await? })
}

/// The workaround for what is fixed at creation: copy into a new container.
fn copy_to_successor(container: &Container, declared: &ContainerSchema) -> Workaround {
    let paths = declared.properties().partition_key.paths().iter();
    Workaround::Copy {
        from: container.path(),
        to: format!("{}-v2", container.path()),
        partition_key_paths: paths.map(|path| path.as_str().to_owned()).collect(),
    }
}

/// Throughput as text.
pub(super) fn per_second(throughput: Throughput) -> String {
    match throughput {
        Throughput::Manual(number) => format!("{number} RU/s"),
        Throughput::Autoscale { maximum, .. } => format!("autoscale up to {maximum} RU/s"),
    }
}

/// A new container as text.
pub(super) fn description(container: &ContainerSchema) -> Vec<String> {
    let properties = container.properties();
    let mut words =
        vec![format!("partition key {}", compare::key(&properties.partition_key, false))];
    if properties.default_time_to_live != client::TimeToLive::Off {
        words.push(format!("default_ttl {}", compare::ttl(properties.default_time_to_live)));
    }
    if properties.indexing_policy != model::IndexingPolicy::default() {
        words.push("its own indexing policy".to_owned());
    }
    match properties.unique_keys.len() {
        0 => {}
        1 => words.push("1 unique key".to_owned()),
        many => words.push(format!("{many} unique keys")),
    }
    match container.scripts().len() {
        0 => {}
        1 => words.push("1 script".to_owned()),
        many => words.push(format!("{many} scripts")),
    }
    words.extend(container.throughput().map(per_second));
    words
}
