//! Serves the protocol of Vault's key-value engine.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use client::{Account, StorageLocation};
use secret_migration::{EnvelopeKeys, VaultServer, VaultServerSettings};
use serde_json::json;
use service::http::{ServeOptions, ShutdownSignal, serve};
use service::settings::Secret;
use tokio::net::TcpListener;

use super::open::tracker_error;
use crate::account_location::{AccountFlags, MissingStore};
use crate::command::stop_signal;
use crate::error::CommandError;
use crate::open::StoreFlags;
use crate::output::line;

const ACTION: &str = "serving the vault";

/// Serve the protocol of Vault's key-value engine, version 2, until ctrl-c
#[derive(Debug, Args)]
#[command(after_help = "\
Values are sealed with a data key each, and data keys with the operator's key: 32 random bytes in base64
(`openssl rand -base64 32`) in --seal-key-file. Several lines are several keys: the first seals, all open.
With --memory a key and a root token are made up; the token is printed. TLS belongs to a proxy in front.")]
pub(super) struct VaultCommand {
    /// Port to listen on; 0 chooses a free port
    #[arg(long, default_value_t = 8210)]
    port: u16,

    /// Address to listen on
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    host: IpAddr,

    /// Keep everything in memory; nothing is stored on disk
    #[arg(long, conflicts_with_all = ["data", "endpoint", "connection_string"])]
    memory: bool,

    /// Name of the database
    #[arg(long, default_value = "vault")]
    database: String,

    /// File with the root token; by default the environment variable VAULT_ROOT_TOKEN
    #[arg(long, value_name = "FILE")]
    root_token_file: Option<PathBuf>,

    /// File with the keys; by default the environment variable VAULT_SEAL_KEYS
    #[arg(long = "seal-key-file", value_name = "FILE")]
    seal_key_file: Option<PathBuf>,

    /// Print one JSON line when ready, and nothing else
    #[arg(long)]
    ready_json: bool,

    #[command(flatten)]
    location: AccountFlags,

    #[command(flatten)]
    store: StoreFlags,
}

impl VaultCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let failed = |error| tracker_error(ACTION, &error);
        let address = SocketAddr::new(self.host, self.port);
        let listener = TcpListener::bind(address).await.map_err(|error| {
            CommandError::new(format!("listening on {address}"), error.to_string())
                .hint("Choose another --port, or stop the process that uses this one")
        })?;
        let mut keys = texts(self.seal_key_file.as_ref(), "VAULT_SEAL_KEYS")?;
        let mut tokens = texts(self.root_token_file.as_ref(), "VAULT_ROOT_TOKEN")?;
        if self.memory && keys.is_empty() {
            keys.push(EnvelopeKeys::generate().map_err(failed)?);
        }
        let is_made_up = self.memory && tokens.is_empty();
        if is_made_up {
            tokens.push(EnvelopeKeys::generate().map_err(failed)?);
        }
        let root_token = tokens.into_iter().next().unwrap_or_default();
        let account = self.open().await?;
        let settings = VaultServerSettings {
            database: self.database.clone(),
            root_token: root_token.clone(),
            keys,
        };
        let server = VaultServer::open(&account, &settings).await.map_err(failed)?;
        let (stop, shutdown) = (stop_signal()?, ShutdownSignal::default());
        let address = listener.local_addr();
        let address = address.map_err(|error| CommandError::new(ACTION, error.to_string()))?;
        let url = format!("http://{address}");
        let shown = if is_made_up { root_token.expose() } else { "(yours)" };
        if self.ready_json {
            line(json!({ "ready": { "endpoint": url, "rootToken": shown } }))?;
        } else {
            line(format_args!("Vault at {url}/, root token {shown}"))?;
            line("Ready")?;
        }
        let options = ServeOptions {
            grace: Duration::from_secs(10),
            header_read: Duration::from_secs(30),
            connections_max: 1_000,
        };
        let serving = serve(listener, server.router(), &shutdown, options);
        tokio::pin!(serving);
        tokio::select! {
            () = &mut serving => {}
            () = stop => {
                shutdown.trigger();
                serving.await;
            }
        }
        let closed = account.close().await;
        closed.map_err(|error| CommandError::from_error("closing the account", &error))?;
        Ok(ExitCode::SUCCESS)
    }

    async fn open(&self) -> Result<Account, CommandError> {
        if self.memory {
            let account = Account::embedded(StorageLocation::Memory).await;
            return account
                .map_err(|error| CommandError::from_error("opening an account in memory", &error));
        }
        self.location.location()?.open(&self.store, MissingStore::Create).await
    }
}

/// The lines of a file, or of an environment variable.
fn texts(file: Option<&PathBuf>, variable: &str) -> Result<Vec<Secret>, CommandError> {
    let text = match file {
        Some(file) => std::fs::read_to_string(file).map_err(|error| {
            CommandError::new(format!("reading {}", file.display()), error.to_string())
        })?,
        None => std::env::var(variable).unwrap_or_default(),
    };
    let lines = text.split_whitespace().filter(|line| !line.is_empty());
    Ok(lines.map(Secret::new).collect())
}
