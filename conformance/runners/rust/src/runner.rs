//! One account, one database and the container of the running scenario; steps in order, saved values put back.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

use azure_core::credentials::{Secret, TokenCredential};
use azure_data_cosmos::clients::{ContainerClient, CosmosClient, DatabaseClient};
use azure_data_cosmos::options::{ConnectionPoolOptions, ServerCertificateValidation};
use azure_data_cosmos::{AccountReference, CosmosRuntime, RoutingStrategy};
use serde_json::Value;

use crate::bearer::FakeCredential;
use crate::check::{check, check_failure};
use crate::items::key_of;
use crate::outcome::{Seen, Stop, unsupported};

/// What a scenario is run with.
pub(crate) struct Runner {
    pub(crate) endpoint: String,
    key: String,
    pub(crate) client: CosmosClient,
    pub(crate) database_id: String,
    pub(crate) database: DatabaseClient,
    pub(crate) container_id: String,
    pub(crate) container: Option<ContainerClient>,
    /// The members that hold the partition key.
    pub(crate) paths: Vec<String>,
    saved: HashMap<String, Value>,
    made: usize,
}

impl Runner {
    /// Connects, and creates the database.
    pub(crate) async fn connect(endpoint: &str, key: &str) -> Result<Self, Box<dyn Error>> {
        let secret = Secret::from(key.to_owned());
        let account = AccountReference::with_authentication_key(endpoint.parse()?, secret);
        let client = client(account).await?;
        let database_id = format!("conf-rust-{}", std::process::id());
        client.create_database(&database_id, None).await?;
        Ok(Self {
            endpoint: endpoint.to_owned(),
            key: key.to_owned(),
            database: client.database_client(database_id.as_str()),
            client,
            database_id,
            container_id: String::new(),
            container: None,
            paths: Vec::new(),
            saved: HashMap::new(),
            made: 0,
        })
    }

    pub(crate) async fn leave(&self) -> Result<(), Box<dyn Error>> {
        self.database.delete(None).await?;
        Ok(())
    }

    /// Creates the container of a setup and its items.
    pub(crate) async fn set_up(&mut self, setup: &Value) -> Result<(), String> {
        match self.try_set_up(setup).await {
            Ok(()) => Ok(()),
            Err(Stop::Unsupported(reason) | Stop::Unseen(reason)) => Err(reason),
            Err(Stop::Failed(error)) => Err(error.to_string()),
        }
    }

    async fn try_set_up(&mut self, setup: &Value) -> Result<(), Stop> {
        self.made += 1;
        self.container_id = format!("c-{}", self.made);
        self.saved.clear();
        self.saved.insert("container".to_owned(), self.container_id.clone().into());
        self.saved.insert("database".to_owned(), self.database_id.clone().into());
        let paths = setup["container"]["partitionKey"]["paths"].as_array().into_iter().flatten();
        let trimmed = |path: &Value| path.as_str().unwrap_or_default().trim_matches('/').to_owned();
        self.paths = paths.map(trimmed).collect();
        self.create_container(&self.container_id, &setup["container"]).await?;
        let container = self.database.container_client(self.container_id.as_str(), None).await?;
        for item in setup["items"].as_array().into_iter().flatten() {
            let key = key_of(&self.paths, &serde_json::json!({"item": item}))?;
            let id = item["id"].as_str().unwrap_or_default();
            container.create_item(key, id, item, None).await?;
        }
        self.container = Some(container);
        Ok(())
    }

    pub(crate) fn container(&self) -> Result<&ContainerClient, Stop> {
        self.container.as_ref().ok_or(Stop::Unseen("there is no container".to_owned()))
    }

    /// Runs a scenario to its end, in a container of its own if a setup is given.
    pub(crate) async fn judge(
        &mut self,
        setup: Option<&Value>,
        scenario: &Value,
    ) -> Result<(), Stop> {
        if let Some(setup) = setup {
            self.try_set_up(setup).await?;
        }
        for (number, step) in scenario["steps"].as_array().into_iter().flatten().enumerate() {
            let number = number + 1;
            self.run_step(&self.filled(step)).await.map_err(|stop| match stop {
                Stop::Unseen(reason) => Stop::Unseen(format!("step {number}: {reason}")),
                Stop::Failed(error) => Stop::Unseen(format!("step {number}: {error}")),
                unsupported => unsupported,
            })?;
        }
        Ok(())
    }

    async fn run_step(&mut self, step: &Value) -> Result<(), Stop> {
        let verb = step["do"].as_str().unwrap_or_default();
        let see = &step["see"];
        let said = match step.get("as") {
            Some(who) => self.say_as(who, verb, step).await,
            None => self.say(verb, step).await,
        };
        let seen = match said {
            Ok(seen) => seen,
            Err(Stop::Failed(error)) => return check_failure(verb, see, &error),
            Err(other) => return Err(other),
        };
        if let Some(wanted) = see.get("fails") {
            return Err(Stop::Unseen(format!("{verb} succeeded, and should fail with {wanted}")));
        }
        check(verb, see, &seen).map_err(Stop::Unseen)?;
        for (name, what) in step["save"].as_object().into_iter().flatten() {
            let kept = match what.as_str() {
                Some("etag") => &seen.etag,
                Some("session") => &seen.session,
                Some("continuation") => &seen.continuation,
                Some("time") => {
                    let item = seen.value.as_ref().ok_or(Stop::Unseen("saw no item".to_owned()))?;
                    self.saved.insert(name.clone(), item["_ts"].clone());
                    continue;
                }
                _ => return Err(Stop::Unseen(format!("the runner cannot keep {what}"))),
            };
            let kept = kept.clone().ok_or(Stop::Unseen(format!("{verb}: saw no {what}")))?;
            self.saved.insert(name.clone(), kept.into());
        }
        Ok(())
    }

    /// Does one step as somebody else: with a bearer token.
    async fn say_as(&mut self, who: &Value, verb: &str, step: &Value) -> Result<Seen, Stop> {
        if who.get("token").is_some() {
            return Err(unsupported("this library has no resource tokens"));
        }
        let key = who["key"].as_str().unwrap_or(&self.key).to_owned();
        let credential: Arc<dyn TokenCredential> = Arc::new(FakeCredential { key });
        let endpoint = self.endpoint.parse()?;
        let theirs = client(AccountReference::with_credential(endpoint, credential)).await?;
        let database = theirs.database_client(self.database_id.as_str());
        let container = database.container_client(self.container_id.as_str(), None).await?;
        let own = self.container.replace(container);
        let said = self.say(verb, step).await;
        self.container = own;
        said
    }

    fn filled(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => {
                let Some(name) = text.strip_prefix('$') else { return value.clone() };
                let length = name.strip_prefix('x').and_then(|digits| digits.parse().ok());
                match length {
                    Some(length) => "x".repeat(length).into(),
                    None => self.saved.get(name).unwrap_or(value).clone(),
                }
            }
            Value::Array(all) => all.iter().map(|inner| self.filled(inner)).collect(),
            Value::Object(members) => {
                let filled = |(name, inner): (&String, &Value)| (name.clone(), self.filled(inner));
                Value::Object(members.iter().map(filled).collect())
            }
            _ => value.clone(),
        }
    }
}

/// A client of an account; the certificate of a server made for a test is known to nobody.
async fn client(account: AccountReference) -> azure_data_cosmos::Result<CosmosClient> {
    let pool = ConnectionPoolOptions::builder()
        .with_server_certificate_validation(ServerCertificateValidation::RequiredUnlessEmulator)
        .build()?;
    let runtime = CosmosRuntime::builder().with_connection_pool(pool).build().await?;
    let near = RoutingStrategy::ProximityTo("East US".into());
    CosmosClient::builder().with_runtime(runtime).build(account, near).await
}
