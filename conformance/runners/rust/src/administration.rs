//! Databases, containers, throughput and the server's test control in the words of this library.

use azure_data_cosmos::models::{ContainerProperties, ResourceResponse, ThroughputProperties};
use azure_data_cosmos::options::CreateContainerOptions;
use futures::TryStreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::feed::asked;
use crate::outcome::{Seen, Stop, unsupported};
use crate::runner::Runner;

impl Runner {
    pub(crate) async fn administer(&self, verb: &str, step: &Value) -> Result<Seen, Stop> {
        let database = step["database"].as_str().unwrap_or_default();
        match verb {
            "read_container" => described(self.container()?.read(None).await?),
            "delete_container" => {
                self.container()?.delete(None).await?;
                Ok(Seen::default())
            }
            "create_container" => {
                let id = step["id"].as_str().unwrap_or(&self.container_id);
                self.create_container(id, &step["container"]).await?;
                Ok(Seen::default())
            }
            "replace_container" => {
                let wish = properties(&self.container_id, &step["container"])?;
                described(self.container()?.replace(wish, None).await?)
            }
            "list_containers" | "query_containers" => {
                let found = self.database.query_containers(asked(step)?, None).await?;
                let found: Vec<_> = found.try_collect().await?;
                Ok(Seen { rows: named(found.iter().map(|one| &*one.id)), ..Seen::default() })
            }
            "list_databases" | "query_databases" => {
                let found = self.client.query_databases(asked(step)?, None).await?;
                let found: Vec<_> = found.try_collect().await?;
                Ok(Seen {
                    rows: named(found.iter().map(|one| one.id.as_deref().unwrap_or_default())),
                    ..Seen::default()
                })
            }
            "create_database" if step.get("throughput").is_some() => {
                Err(unsupported("this library creates databases without throughput"))
            }
            "create_database" => described(self.client.create_database(database, None).await?),
            "read_database" => described(self.client.database_client(database).read(None).await?),
            "delete_database" => {
                self.client.database_client(database).delete(None).await?;
                Ok(Seen::default())
            }
            "read_throughput" => {
                let found = match step.get("database") {
                    Some(_) => self.client.database_client(database).read_throughput(None).await?,
                    None => self.container()?.read_throughput(None).await?,
                };
                let found = found.ok_or(Stop::Unseen("there is no throughput".to_owned()))?;
                let (manual, most) = (found.throughput(), found.autoscale_maximum());
                let value = Some(json!({"throughput": manual, "autoscale": most}));
                Ok(Seen { value, ..Seen::default() })
            }
            "replace_throughput" => {
                let wish = throughput(&step["throughput"]);
                let replacing = match step.get("database") {
                    Some(_) => {
                        let database = self.client.database_client(database);
                        database.begin_replace_throughput(wish, None).await?
                    }
                    None => self.container()?.begin_replace_throughput(wish, None).await?,
                };
                replacing.await?;
                Ok(Seen::default())
            }
            _ => Err(Stop::Unseen(format!("the runner has no verb {verb}"))),
        }
    }

    pub(crate) async fn create_container(&self, id: &str, wish: &Value) -> Result<(), Stop> {
        let mut options = CreateContainerOptions::default();
        if let Some(wish) = wish.get("throughput") {
            options = options.with_throughput(throughput(wish));
        }
        self.database.create_container(properties(id, wish)?, Some(options)).await?;
        Ok(())
    }

    /// Speaks to the test control of the server, which no library knows.
    pub(crate) async fn control(&self, verb: &str, step: &Value) -> Result<Seen, Stop> {
        let path = match verb {
            "inject_faults" => "faults".to_owned(),
            _ => verb.replace('_', "-"),
        };
        let body = match verb {
            "inject_faults" => step["rules"].clone(),
            "advance_clock" => json!({"seconds": step["seconds"]}),
            _ => json!({"database": self.database_id, "container": self.container_id}),
        };
        let url = format!("{}/_planisphere/test/{path}", self.endpoint.trim_end_matches('/'));
        let answer = reqwest::Client::new().post(url).body(body.to_string()).send().await;
        match answer.and_then(reqwest::Response::error_for_status) {
            Ok(_) => Ok(Seen::default()),
            Err(error) => Err(Stop::Unseen(format!("the test control: {error}"))),
        }
    }
}

/// The properties of a container as this library types them.
fn properties(id: &str, wish: &Value) -> Result<ContainerProperties, Stop> {
    if wish.get("computedProperties").is_some() {
        return Err(unsupported("containers of this library have no computedProperties"));
    }
    let mut body = wish.clone();
    if let Some(members) = body.as_object_mut() {
        members.remove("throughput");
        members.insert("id".into(), id.into());
    }
    Ok(serde_json::from_value(body)?)
}

fn throughput(wish: &Value) -> ThroughputProperties {
    match wish["max"].as_u64() {
        Some(most) => ThroughputProperties::autoscale(most, None),
        None => ThroughputProperties::manual(wish.as_u64().unwrap_or_default()),
    }
}

fn named<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<Value> {
    ids.map(|id| json!({"id": id})).collect()
}

fn described<T: Serialize + DeserializeOwned>(answer: ResourceResponse<T>) -> Result<Seen, Stop> {
    let seen = Seen { status: Some(answer.status().into()), ..Seen::default() };
    let mut seen = seen.with_headers(answer.headers());
    seen.value = Some(serde_json::to_value(answer.into_model()?)?);
    Ok(seen)
}
