//! One account, one database and the container of the running scenario; steps in order, saved values put back.

use std::collections::HashMap;
use std::error::Error;

use azure_core::credentials::Secret;
use azure_data_cosmos::clients::{ContainerClient, CosmosClient, DatabaseClient};
use azure_data_cosmos::{AccountReference, RoutingStrategy};
use serde_json::Value;

use crate::check::{check, check_failure};
use crate::items::key_of;
use crate::outcome::Stop;

/// What a scenario is run with.
pub(crate) struct Runner {
    pub(crate) endpoint: String,
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
        let client = client(endpoint, key).await?;
        let database_id = format!("conf-rust-{}", std::process::id());
        client.create_database(&database_id, None).await?;
        Ok(Self {
            endpoint: endpoint.to_owned(),
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
        let seen = match self.say(verb, step).await {
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
                _ => return Err(Stop::Unseen(format!("the runner cannot keep {what}"))),
            };
            let kept = kept.clone().ok_or(Stop::Unseen(format!("{verb}: saw no {what}")))?;
            self.saved.insert(name.clone(), kept.into());
        }
        Ok(())
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

/// A client of the account.
pub(crate) async fn client(endpoint: &str, key: &str) -> azure_data_cosmos::Result<CosmosClient> {
    let account =
        AccountReference::with_authentication_key(endpoint.parse()?, Secret::from(key.to_owned()));
    let near = RoutingStrategy::ProximityTo("East US".into());
    CosmosClient::builder().build(account, near).await
}
