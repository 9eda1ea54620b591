//! An account in memory with one container, for all tests: scripts in, text out.

use std::sync::Arc;

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart, ReadChangeFeed};
use engine::operation::*;
use engine::query::QueryItems;
use engine::{
    AttachedKind, ContainerLink, Engine, EngineSettings, Environment, Error, Response,
    ScriptSettings,
};
use model::{Json, MeasuredJson, Object, PartitionKey};
use planisphere_javascript::JavaScript;
use storage::memory::MemoryStore;

pub(crate) struct Account {
    pub(crate) engine: Engine,
    pub(crate) link: ContainerLink,
}

impl Account {
    pub(crate) async fn new() -> Self {
        Self::with(ScriptSettings::default(), |_| {}).await
    }

    pub(crate) async fn with(
        scripts: ScriptSettings,
        change: impl FnOnce(&mut model::ContainerProperties),
    ) -> Self {
        let environment = Environment::system().with_scripts(Arc::new(JavaScript::new()));
        let settings = EngineSettings { scripts, ..EngineSettings::default() };
        let engine =
            Engine::open(Arc::new(MemoryStore::new()), environment, settings).await.unwrap();
        let link = ContainerLink::new("d", "c").unwrap();
        let properties = model::DatabaseProperties { id: link.database.clone() };
        engine.create_database(CreateDatabase { properties, throughput: None }).await.unwrap();
        let key = model::PartitionKeyDefinition::single("/pk").unwrap();
        let mut properties = model::ContainerProperties::new(link.container.clone(), key);
        change(&mut properties);
        let database = link.database.clone();
        let create = CreateContainer { database, properties, throughput: None };
        engine.create_container(create).await.unwrap();
        Self { engine, link }
    }

    async fn attach(&self, kind: AttachedKind, content: Object) {
        let address = self.engine.resolve_container("d", "c").unwrap();
        self.engine.create_attached(address.rid, kind, content).await.unwrap();
    }

    pub(crate) async fn procedure(&self, id: &str, body: &str) {
        let content = object(&[("id", id), ("body", body)]);
        self.attach(AttachedKind::StoredProcedure, content).await;
    }

    pub(crate) async fn trigger(&self, id: &str, time: &str, operation: &str, body: &str) {
        let content = object(&[
            ("id", id),
            ("body", body),
            ("triggerType", time),
            ("triggerOperation", operation),
        ]);
        self.attach(AttachedKind::Trigger, content).await;
    }

    pub(crate) async fn function(&self, id: &str, body: &str) {
        let content = object(&[("id", id), ("body", body)]);
        self.attach(AttachedKind::UserDefinedFunction, content).await;
    }

    /// Creates and runs a procedure; returns the body of its response.
    pub(crate) async fn run(&self, body: &str, arguments: &str) -> Result<String, Error> {
        let address = self.engine.resolve_container("d", "c").unwrap();
        let kind = AttachedKind::StoredProcedure;
        if let Ok(old) = self.engine.read_attached(address.rid, kind, "run").await {
            self.engine.delete_attached(kind, &old.value, None).await.unwrap();
        }
        self.procedure("run", body).await;
        let result = self.execute("run", arguments).await?;
        Ok(result.value.body.unwrap_or_else(|| "none".to_owned()))
    }

    pub(crate) async fn execute(
        &self,
        procedure: &str,
        arguments: &str,
    ) -> Result<Response<engine::response::ProcedureResult>, Error> {
        let operation = ExecuteProcedure {
            container: self.link.clone(),
            procedure: procedure.to_owned(),
            partition_key: PartitionKey::from("a"),
            arguments: arguments.to_owned(),
            wants_log: true,
        };
        self.engine.execute_procedure(operation).await
    }

    pub(crate) async fn check(&self, body: &str, arguments: &str, expected: &str) {
        match self.run(body, arguments).await {
            Ok(found) => assert_eq!(found, expected, "{body}"),
            Err(error) => panic!("{body}: {error}"),
        }
    }

    pub(crate) async fn create(&self, text: &str) {
        let item = MeasuredJson::parse(text.as_bytes()).unwrap();
        let (container, options) = (self.link.clone(), WriteOptions::default());
        let create = CreateItem { container, partition_key: None, item, options };
        self.engine.create_item(create).await.unwrap();
    }

    /// The rows of a query over the whole container, as one text.
    pub(crate) async fn rows(&self, text: &str) -> Result<String, Error> {
        let mut operation = QueryItems::new(self.link.clone(), text);
        let mut rows = Vec::new();
        loop {
            let page = self.engine.query_items(operation.clone()).await?.value;
            rows.extend(page.rows.iter().map(|row| String::from_utf8_lossy(row).into_owned()));
            if page.continuation.is_none() {
                return Ok(rows.join(" "));
            }
            operation.page.continuation = page.continuation;
        }
    }

    /// Checks that all entries of all items fit together.
    pub(crate) async fn verify(&self) {
        let report = self.engine.verify(&mut |_| {}).await.unwrap();
        assert!(report.is_consistent(), "{report:?}");
    }

    /// The positions of all changes.
    pub(crate) async fn change_lsns(&self) -> Vec<model::Lsn> {
        let feed = ReadChangeFeed {
            container: self.link.clone(),
            feed_range: model::FeedRange::Container,
            mode: ChangeFeedMode::LatestVersion,
            start: ChangeFeedStart::Beginning,
            items_max: None,
        };
        let page = self.engine.read_change_feed(feed).await.unwrap().value;
        page.changes.iter().map(|change| change.lsn()).collect()
    }

    /// The ids of all items, in order.
    pub(crate) async fn ids(&self) -> String {
        self.rows("SELECT VALUE c.id FROM c ORDER BY c.id").await.unwrap()
    }
}

fn object(properties: &[(&str, &str)]) -> Object {
    let mut object = Object::new();
    for (name, value) in properties {
        object.insert(*name, Json::from(*value));
    }
    object
}
