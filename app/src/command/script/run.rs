//! The command: what is asked, where, and the answer.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use engine::{ContainerLink, EngineSettings};
use model::{Json, Object};

use super::file::{KINDS, read_scripts};
use super::folder::FolderScripts;
use super::place::{ProcedureCall, ScriptPlace};
use crate::account_location::{AccountFlags, AccountLocation};
use crate::command::partitions::container_link;
use crate::error::CommandError;
use crate::open::{self, StoreFlags};
use crate::output::{line, warn};

/// List, push and run the stored procedures, triggers and functions of a container
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere script list shop/orders --data DIR
  planisphere script push shop/orders scripts/ --dry-run --endpoint http://localhost:8081/
  planisphere script run shop/orders bulkDelete --partition-key '\"ann\"' --data DIR '\"SELECT * FROM c\"'

A folder of scripts has procedures/ID.js, functions/ID.js and triggers/ID.pre.create.js (pre or post; all, create,
replace, upsert, update or delete). Arguments are JSON, one for each parameter.")]
pub(crate) struct ScriptCommand {
    #[command(subcommand)]
    action: ScriptAction,
}

#[derive(Debug, Subcommand)]
enum ScriptAction {
    /// List the scripts
    List {
        #[command(flatten)]
        container: ScriptFlags,
    },
    /// Create and replace scripts from a folder of files; other scripts stay
    Push {
        #[command(flatten)]
        container: ScriptFlags,

        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,

        /// Print what would be done
        #[arg(long)]
        dry_run: bool,
    },
    /// Run a stored procedure; its response goes to standard output, its log to standard error
    Run {
        #[command(flatten)]
        container: ScriptFlags,

        /// The procedure
        procedure: String,

        /// Its arguments, each a JSON value
        arguments: Vec<String>,

        /// The logical partition; repeat it for the components of a hierarchical partition key
        #[arg(long, value_name = "JSON", required = true)]
        partition_key: Vec<String>,
    },
}

/// Which container, and where it is.
#[derive(Debug, Args)]
struct ScriptFlags {
    /// The container
    #[arg(value_name = "DATABASE/CONTAINER", value_parser = container_link)]
    container: ContainerLink,

    #[command(flatten)]
    account: AccountFlags,

    #[command(flatten)]
    store: StoreFlags,
}

/// What is done at a place.
enum ScriptTask {
    List,
    Push { folder: PathBuf, dry_run: bool },
    Run(ProcedureCall),
}

impl ScriptCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let (flags, request) = match self.action {
            ScriptAction::List { container } => (container, ScriptTask::List),
            ScriptAction::Push { container, folder, dry_run } => {
                (container, ScriptTask::Push { folder, dry_run })
            }
            ScriptAction::Run { container, procedure, arguments, partition_key } => {
                let call = ProcedureCall {
                    procedure,
                    partition_key: array(&partition_key)?,
                    arguments: array(&arguments)?,
                };
                (container, ScriptTask::Run(call))
            }
        };
        flags.perform(request)?;
        Ok(ExitCode::SUCCESS)
    }
}

impl ScriptFlags {
    fn perform(&self, request: ScriptTask) -> Result<(), CommandError> {
        match self.account.location()? {
            AccountLocation::Folder(folder) => open::block_on(async {
                let settings = EngineSettings { maintenance: false, ..EngineSettings::default() };
                let engine = self.store.open_existing(&folder, settings).await?;
                let place = FolderScripts { engine: &engine, container: &self.container };
                let outcome = perform(&place, request).await;
                // Closed in any case, so that the folder is complete when the error is printed.
                let closed = engine.close().await;
                outcome?;
                closed.map_err(|error| CommandError::from_error("closing the folder", &error))
            }),
            #[cfg(feature = "connect")]
            AccountLocation::Endpoint { url, key } => {
                let key = gateway::AccountKey::parse(&key).map_err(|_| {
                    CommandError::new(
                        format!("connecting to {url}"),
                        "the account key is not base64",
                    )
                    .hint("Give the server's --key")
                })?;
                let server = crate::server_call::ServerCall { endpoint: &url, key: &key };
                let place = super::server::ServerScripts { server, container: &self.container };
                open::block_on(perform(&place, request))
            }
            #[cfg(not(feature = "connect"))]
            AccountLocation::Endpoint { url, .. } => {
                let reason = "this binary was built without the feature 'connect'";
                Err(CommandError::new(format!("connecting to {url}"), reason)
                    .hint("Stop the server and give its folder with --data"))
            }
        }
    }
}

async fn perform(place: &impl ScriptPlace, request: ScriptTask) -> Result<(), CommandError> {
    match request {
        ScriptTask::List => list(place).await,
        ScriptTask::Push { folder, dry_run } => push(place, &folder, dry_run).await,
        ScriptTask::Run(call) => {
            let answer = place.call(call).await?;
            for logged in answer.log.lines() {
                warn(logged);
            }
            warn(&format!("{} RU", answer.charge));
            line(answer.body)
        }
    }
}

async fn list(place: &impl ScriptPlace) -> Result<(), CommandError> {
    for (kind, .., word) in KINDS {
        for script in place.list(kind).await? {
            let text = |name: &str| script.get(name).and_then(Json::as_str).unwrap_or_default();
            let when = format!("{} {}", text("triggerType"), text("triggerOperation"));
            line(
                format_args!("{word:<10} {:<32} {}", text("id"), when.trim())
                    .to_string()
                    .trim_end(),
            )?;
        }
    }
    Ok(())
}

async fn push(
    place: &impl ScriptPlace,
    folder: &std::path::Path,
    dry_run: bool,
) -> Result<(), CommandError> {
    for script in read_scripts(folder)? {
        let known = place.list(script.kind).await?;
        let known = known.iter().find(|known| is_named(known, &script.id));
        let word = match known {
            None => "create",
            Some(known) if is_same(known, &script.content) => "keep",
            Some(_) => "replace",
        };
        if !dry_run && word != "keep" {
            place.put(&script).await?;
        }
        let kind = KINDS.iter().find(|kind| kind.0 == script.kind).map_or("", |kind| kind.3);
        line(format_args!("{word:<8} {kind:<10} {}", script.id))?;
    }
    Ok(())
}

fn is_named(script: &Object, id: &str) -> bool {
    script.get("id").and_then(Json::as_str) == Some(id)
}

/// Whether a stored script has the properties of a file.
fn is_same(stored: &Object, file: &Object) -> bool {
    file.iter().all(|(name, value)| stored.get(name) == Some(value))
}

/// JSON values as an array.
fn array(values: &[String]) -> Result<String, CommandError> {
    for value in values {
        Json::parse(value.as_bytes()).map_err(|error| {
            CommandError::new(format!("reading the value {value}"), error.to_string())
                .hint("Values are JSON: quote texts twice, as in '\"ann\"'")
        })?;
    }
    Ok(format!("[{}]", values.join(",")))
}
