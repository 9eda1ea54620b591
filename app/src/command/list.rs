//! `planisphere list`: prints the databases and containers of an account.

use std::process::ExitCode;

use clap::Args;
use client::{Account, Throughput};
use model::{Json, Object};

use crate::account_location::{AccountFlags, MissingStore};
use crate::error::CommandError;
use crate::open::{self, StoreFlags};
use crate::output::line;

/// List databases and containers with their partition keys and throughput.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere list --data DIR
  planisphere list --endpoint https://localhost:8081/     a running server, with TLS
  planisphere list --endpoint http://localhost:8081/ --json | jq .

For a server with a certificate of its own, name the file: SSL_CERT_FILE=DIR/certificate.pem")]
pub(crate) struct ListCommand {
    #[command(flatten)]
    location: AccountFlags,

    /// Print one JSON object per container
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    flags: StoreFlags,
}

/// One container, or a database without any.
struct ListedRow {
    name: String,
    key: String,
    throughput: String,
    json: Json,
}

impl ListCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let location = self.location.location()?;
        let rows = open::block_on(async {
            let account = location.open(&self.flags, MissingStore::Refuse).await?;
            let rows = list(&account).await.map_err(|error| {
                CommandError::from_error(format!("listing the containers of {location}"), &error)
            });
            // Nothing was written, so a failed close does not matter.
            let _ = account.close().await;
            rows
        })?;
        let width = |get: fn(&ListedRow) -> &str| {
            rows.iter().map(|row| get(row).chars().count()).max().unwrap_or_default()
        };
        let (names, keys) = (width(|row| &row.name), width(|row| &row.key));
        for row in &rows {
            match self.json {
                true => line(&row.json)?,
                false => line(format_args!(
                    "{:names$}  {:keys$}  {}",
                    row.name, row.key, row.throughput
                ))?,
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn list(account: &Account) -> client::Result<Vec<ListedRow>> {
    let mut rows = Vec::new();
    let mut databases = account.list_databases().await?.value;
    databases.sort();
    for id in databases {
        let database = account.database(id.as_str())?;
        let shared = database.read_throughput().await?.value;
        let mut containers = database.list_containers().await?.value;
        containers.sort_by(|left, right| left.id.cmp(&right.id));
        if containers.is_empty() {
            rows.push(row(id.as_str(), None, shared.as_ref(), "(no container)"));
        }
        for properties in containers {
            let container = database.container(properties.id.as_str())?;
            let own = container.read_throughput().await?.value;
            let paths: Vec<String> =
                properties.partition_key.paths().iter().map(ToString::to_string).collect();
            let name = (properties.id.as_str(), own.is_none() && shared.is_some());
            let throughput = own.as_ref().or(shared.as_ref());
            rows.push(row(id.as_str(), Some(name), throughput, &paths.join(", ")));
        }
    }
    Ok(rows)
}

/// `container` is its name, and whether it shares the throughput of its database.
fn row(
    database: &str,
    container: Option<(&str, bool)>,
    throughput: Option<&Throughput>,
    key: &str,
) -> ListedRow {
    let mut json = Object::new();
    json.insert("database", database);
    if let Some((container, is_shared)) = container {
        json.insert("container", container);
        json.insert("partitionKey", key);
        json.insert("sharesThroughput", is_shared);
    }
    if let Some(throughput) = throughput {
        json.insert("throughput", throughput.to_json());
    }
    let text = throughput.map_or_else(String::new, |throughput| match throughput {
        Throughput::Manual(per_second) => format!("{per_second} RU/s"),
        Throughput::Autoscale { .. } => format!("autoscale to {} RU/s", throughput.highest()),
    });
    let shared = container.is_some_and(|(_, is_shared)| is_shared);
    let throughput = if shared { format!("{text}, shared") } else { text };
    let name = match container {
        Some((container, _)) => format!("{database}/{container}"),
        None => database.to_owned(),
    };
    ListedRow { name, key: key.to_owned(), throughput, json: Json::Object(json) }
}
