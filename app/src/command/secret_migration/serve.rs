//! Serves the HTTP API and the web page, and migrates workloads, until a signal.

use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;

use clap::Args;
use client::{Account, Environment, StorageLocation};
use secret_migration::{KubernetesApi, PAGES, SecretMigration, serve_certified};
use serde_json::{Map, json};
use service::http::HttpServer;
use service::identity::{Identity, IdentityMode};
use service::telemetry::Telemetry;
use tokio::net::TcpListener;

use super::configuration::{TrackerServiceSettings, TrackerSettings, TrackerSettingsFlags};
use super::demo::{self, DemoVaults};
use super::open::{open_tracker, platforms, tracker_error};
use crate::account_location::{AccountFlags, AccountLocation, MissingStore};
use crate::command::{service_log, stop_signal};
use crate::error::CommandError;
use crate::open::StoreFlags;
use crate::output::line;

const PORT: u16 = 8080;
const FOLDER: &str = "./planisphere-data";

/// Serve the HTTP API and the web page, and migrate workloads, until ctrl-c
#[derive(Debug, Args)]
pub(super) struct TrackerServeCommand {
    /// Port to listen on, 8080 by default; 0 chooses a free port. Overrides Http:Listen
    #[arg(long)]
    port: Option<u16>,

    /// Address to listen on, 127.0.0.1 by default
    #[arg(long, value_name = "IP")]
    host: Option<IpAddr>,

    /// Keep everything in memory; nothing is stored on disk
    #[arg(long, conflicts_with_all = ["data", "endpoint", "connection_string"])]
    memory: bool,

    /// Create a cluster and two vaults to try, and print sign-in links; in memory unless an account is given
    #[arg(long)]
    demo: bool,

    /// Print one JSON line when ready, and nothing else
    #[arg(long)]
    ready_json: bool,

    /// Log requests too
    #[arg(long)]
    verbose: bool,

    #[command(flatten)]
    location: AccountFlags,

    #[command(flatten)]
    settings: TrackerSettingsFlags,

    #[command(flatten)]
    store: StoreFlags,
}

impl TrackerServeCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let settings = self.settings.load::<TrackerServiceSettings>(&self.flag_settings())?.value.0;
        let telemetry = settings.telemetry.clone().with_default_service_name("secret-migration");
        let telemetry = Telemetry::new(telemetry, &Environment::system());
        service_log::begin(self.verbose, &telemetry);
        telemetry.start();
        // Before the store is opened: a port in use is the most common error, and the cheapest to find.
        let listener = self.listen(&settings).await?;
        let (account, location) = self.open().await?;
        let vaults = if self.demo { Some(DemoVaults::start().await?) } else { None };
        let settings =
            vaults.as_ref().map_or(settings.clone(), |vaults| vaults.settings(&settings));
        let server = Self::server(&settings, &account, &telemetry)?;
        let served = self.serve(&settings, listener, &server, account.clone(), &location).await;
        let closed = account.close().await;
        // Last, so that spans of the shutdown are exported, too.
        telemetry.stop().await;
        served?;
        closed.map_err(|error| CommandError::from_error(format!("closing {location}"), &error))?;
        Ok(ExitCode::SUCCESS)
    }

    /// The flags as settings.
    fn flag_settings(&self) -> Vec<String> {
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

    async fn listen(&self, settings: &TrackerSettings) -> Result<TcpListener, CommandError> {
        let listen = &settings.http.listen;
        let what = || format!("listening on {listen}");
        let listener = TcpListener::bind(listen).await.map_err(|error| {
            CommandError::new(what(), error.to_string())
                .hint("Choose another --port, or stop the process that uses this one")
        })?;
        let address = listener.local_addr();
        let address = address.map_err(|error| CommandError::new(what(), error.to_string()))?;
        if settings.identity.mode == IdentityMode::Demo && !address.ip().is_loopback() {
            let why = "other machines could connect to the demonstration, where anybody can sign in as anybody";
            return Err(CommandError::new("serving", why).hint("Listen on 127.0.0.1"));
        }
        Ok(listener)
    }

    /// Opens the account; returns also its name.
    async fn open(&self) -> Result<(Account, String), CommandError> {
        let location = match self.location.optional_location()? {
            Some(location) => location,
            None if self.memory || self.demo => {
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

    /// The HTTP server around the routes; its metrics include the totals of data calls.
    fn server(
        settings: &TrackerSettings,
        account: &Account,
        telemetry: &Telemetry,
    ) -> Result<HttpServer, CommandError> {
        let environment = account.environment().clone();
        let identity = Identity::new(environment.clone(), &settings.identity)
            .map_err(|why| CommandError::new("reading the identity settings", why))?;
        let server = HttpServer::new(environment, settings.http.clone(), identity);
        server.metrics().add_collector(telemetry.collector());
        Ok(server)
    }

    async fn serve(
        &self,
        settings: &TrackerSettings,
        listener: TcpListener,
        server: &HttpServer,
        account: Account,
        location: &str,
    ) -> Result<(), CommandError> {
        let platforms = platforms(settings, account.environment())?;
        let system = open_tracker(account, settings, platforms).await?;
        if self.demo {
            demo::seed(&system, settings).await?;
        }
        start_certified(settings, &system, server).await?;
        start_kubernetes(settings, &system, server)?;
        let router = system.router(server, PAGES);
        let stop = stop_signal()?;
        self.announce(&listener, server, location)?;
        let stopping = async {
            stop.await;
            server.shutdown().trigger();
        };
        let following = system.follow_changes(server.shutdown());
        let working = system.run(server.shutdown());
        let ended = async { tokio::join!(server.serve_at(listener, router), working, following) };
        tokio::pin!(ended);
        let (served, (), ()) = tokio::select! {
            all = &mut ended => all,
            // The signal triggers the shutdown; all parts then end by themselves.
            () = stopping => ended.await,
        };
        served.map_err(|error| CommandError::new("serving", error.to_string()).hint("Run it again"))
    }

    fn announce(
        &self,
        listener: &TcpListener,
        server: &HttpServer,
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
        let links = demo::links(server.identity());
        if self.ready_json {
            let links: Map<_, _> = links
                .iter()
                .map(|(name, path)| (name.clone(), json!(format!("{url}{path}"))))
                .collect();
            let ready = json!({ "endpoint": format!("{url}/"), "data": location, "signIn": links });
            return line(json!({ "ready": ready }));
        }
        line(format_args!("Secrets migration tracker at {url}/ (data: {location})"))?;
        for (name, path) in &links {
            line(format_args!("Sign in as {name}: {url}{path}"))?;
        }
        if !links.is_empty() {
            line("A link works once, within 15 minutes.")?;
        }
        line("Ready")
    }
}

/// Starts to follow the cluster of the settings, if they have one. It ends with the server.
fn start_kubernetes(
    settings: &TrackerSettings,
    system: &SecretMigration,
    server: &HttpServer,
) -> Result<(), CommandError> {
    if settings.kubernetes.cluster.is_empty() {
        return Ok(());
    }
    let environment = system.account().environment().clone();
    let api = KubernetesApi::open(settings.kubernetes.clone(), environment);
    let api = api.map_err(|error| tracker_error("opening the interface of Kubernetes", &error))?;
    let (system, shutdown) = (system.clone(), server.shutdown().clone());
    tokio::spawn(async move { system.follow_kubernetes(&api, &shutdown).await });
    Ok(())
}

/// Starts the listener for client certificates, if the settings have one. It ends with the server.
async fn start_certified(
    settings: &TrackerSettings,
    system: &SecretMigration,
    server: &HttpServer,
) -> Result<(), CommandError> {
    let mtls = &settings.mtls;
    if mtls.listen.is_empty() {
        return Ok(());
    }
    let what = format!("listening on {} (Mtls:Listen)", mtls.listen);
    let acceptor = mtls.acceptor().map_err(|error| tracker_error(&what, &error))?;
    let listener = TcpListener::bind(&mtls.listen).await;
    let listener = listener.map_err(|error| CommandError::new(what, error.to_string()))?;
    let (router, shutdown) = (system.router(server, &[]), server.shutdown().clone());
    tokio::spawn(serve_certified(listener, acceptor, mtls.clone(), router, shutdown));
    Ok(())
}
