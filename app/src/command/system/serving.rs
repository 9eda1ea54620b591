//! The flags of every `serve`: the address, the account, and the lines that say it is ready.
//!
//! Does not own what runs behind them (`host`).

use std::net::{IpAddr, SocketAddr};

use clap::Args;
use client::{Account, StorageLocation};
use serde_json::{Map, json};
use service::identity::{IdentityMode, IdentitySettings};
use tokio::net::TcpListener;

use super::settings_flags::SettingsFlags;
use crate::account_location::{AccountArguments, AccountFlags, AccountLocation, MissingStore};
use crate::error::CommandError;
use crate::open::StoreFlags;
use crate::output::line;

const PORT: u16 = 8080;
const FOLDER: &str = "./planisphere-data";

/// The flags of every `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServingFlags {
    /// Port to listen on, 8080 by default; 0 chooses a free port. Overrides Http:Listen
    #[arg(long)]
    port: Option<u16>,

    /// Address to listen on, 127.0.0.1 by default
    #[arg(long, value_name = "IP")]
    host: Option<IpAddr>,

    /// Keep everything in memory; nothing is stored on disk
    #[arg(long, conflicts_with_all = ["data", "endpoint", "connection_string"])]
    memory: bool,

    /// Create an example to try, and print sign-in links; in memory unless an account is given
    #[arg(long)]
    pub(crate) demo: bool,

    /// Let other machines connect to the demonstration, where anybody can sign in as anybody
    #[arg(long)]
    allow_remote_demo: bool,

    /// Print one JSON line when ready, and nothing else
    #[arg(long)]
    pub(crate) ready_json: bool,

    /// Log requests too
    #[arg(long)]
    pub(crate) verbose: bool,

    #[command(flatten)]
    location: AccountFlags,

    #[command(flatten)]
    pub(crate) settings: SettingsFlags,

    #[command(flatten)]
    store: StoreFlags,
}

/// The account of a system that no flag names.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "chat"), allow(dead_code, reason = "only the chat names its account"))]
pub(crate) enum DefaultAccount<'settings> {
    /// A folder in the current one.
    Folder,
    /// Memory.
    Memory,
    /// An address and a key.
    Connection(&'settings str),
}

impl ServingFlags {
    /// The flags as settings.
    pub(crate) fn flag_settings(&self) -> Vec<String> {
        let mut more = Vec::new();
        if self.port.is_some() || self.host.is_some() {
            let host = self.host.unwrap_or(IpAddr::from([127, 0, 0, 1]));
            let address = SocketAddr::new(host, self.port.unwrap_or(PORT));
            more.push(format!("Http:Listen={address}"));
        }
        if self.demo {
            more.push("Identity:Mode=demo".to_owned());
        }
        more
    }

    /// Binds the address. Other machines may connect to a demonstration only if a flag allows it.
    pub(crate) async fn listen(
        &self,
        listen: &str,
        identity: &IdentitySettings,
    ) -> Result<TcpListener, CommandError> {
        let what = || format!("listening on {listen}");
        let listener = TcpListener::bind(listen).await.map_err(|error| {
            CommandError::new(what(), error.to_string())
                .hint("Choose another --port, or stop the process that uses this one")
        })?;
        let address = listener.local_addr();
        let address = address.map_err(|error| CommandError::new(what(), error.to_string()))?;
        let trusts_anybody = identity.mode == IdentityMode::Demo;
        if trusts_anybody && !address.ip().is_loopback() && !self.allow_remote_demo {
            let why = "other machines could connect to the demonstration, where anybody can sign in as anybody";
            return Err(CommandError::new("serving", why).hint(
                "Listen on 127.0.0.1, or give --allow-remote-demo if you control the network",
            ));
        }
        Ok(listener)
    }

    /// Opens the account; returns also its name. `default` is the account if no flag names one.
    pub(crate) async fn open(
        &self,
        default: DefaultAccount<'_>,
    ) -> Result<(Account, String), CommandError> {
        let of_settings = match default {
            DefaultAccount::Connection(text) => {
                let connection_string = Some(text);
                AccountArguments { connection_string, ..AccountArguments::default() }.location()?
            }
            DefaultAccount::Folder | DefaultAccount::Memory => None,
        };
        let in_memory = self.memory || self.demo || matches!(default, DefaultAccount::Memory);
        let location = match self.location.optional_location()?.or(of_settings) {
            Some(location) => location,
            None if in_memory => {
                let account = Account::embedded(StorageLocation::Memory).await;
                let account = account.map_err(|error| {
                    CommandError::from_error("opening an account in memory", &error)
                })?;
                return Ok((account, "memory".to_owned()));
            }
            None => AccountLocation::Folder(FOLDER.into()),
        };
        Ok((location.open(&self.store, MissingStore::Create).await?, location.to_string()))
    }

    /// Prints the address, the place of the data and the sign-in links.
    pub(crate) fn announce(
        &self,
        title: &str,
        listener: &TcpListener,
        links: &[(String, String)],
        location: &str,
    ) -> Result<(), CommandError> {
        let address = listener.local_addr();
        let address = address.map_err(|error| CommandError::new("listening", error.to_string()))?;
        let host = match address.ip() {
            ip if ip.is_unspecified() || ip == IpAddr::from([127, 0, 0, 1]) => {
                "localhost".to_owned()
            }
            IpAddr::V6(ip) => format!("[{ip}]"),
            ip @ IpAddr::V4(_) => ip.to_string(),
        };
        let url = format!("http://{host}:{}", address.port());
        if self.ready_json {
            let links: Map<_, _> = links
                .iter()
                .map(|(name, path)| (name.clone(), json!(format!("{url}{path}"))))
                .collect();
            let ready = json!({ "endpoint": format!("{url}/"), "data": location, "signIn": links });
            return line(json!({ "ready": ready }));
        }
        line(format_args!("{title} at {url}/ (data: {location})"))?;
        for (name, path) in links {
            line(format_args!("Sign in as {name}: {url}{path}"))?;
        }
        if !links.is_empty() {
            line("A link works once, within 15 minutes.")?;
        }
        line("Ready")
    }
}
