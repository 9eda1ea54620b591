//! The command itself: open, listen, announce, serve, close.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use engine::{Engine, Environment, SystemRandomness, TokioSpawner};
use gateway::{AccountKey, CrossPartition, Gateway, Log, Settings, TestControl};
use model::{ChargeProfile, ConsistencyLevel};
use tokio::net::{TcpListener, lookup_host};
use tokio::signal::unix::{SignalKind, signal};

use super::account_key::KeyFlags;
use super::announce::Ready;
use super::certificate::TlsFlags;
use super::emulator::Wishes;
use super::issuer::{IssuerFlags, Trust};
use super::usage::{UsageFlags, keep_saving, save};
use crate::command::cost::profile;
use crate::failure::Failure;
use crate::open::{self, StoreFlags};

/// The port of every emulator of the service.
const PORT: u16 = 8081;
const FOLDER: &str = "./planisphere-data";

/// Serve the REST API; the official client libraries connect as to any account
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Port to listen on, 8081 by default; 0 takes a free one
    #[arg(long)]
    port: Option<u16>,

    /// Name or address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    host: String,

    /// Folder of the store, ./planisphere-data by default, made when it is missing
    #[arg(long, value_name = "DIR", conflicts_with = "memory")]
    data: Option<PathBuf>,

    /// Keep everything in memory and forget it at the end
    #[arg(long)]
    memory: bool,

    /// Print one JSON line when ready, and nothing else
    #[arg(long)]
    ready_json: bool,

    /// What to do with queries over all partitions whose answers must be merged
    #[arg(long, value_enum, default_value_t = Policy::Strict)]
    cross_partition: Policy,

    /// Address told to clients, when they cannot use the one they asked
    #[arg(long, value_name = "URL")]
    public_endpoint: Option<String>,

    /// Whether a replace pays for the removal of the old version: azure (it does) or native
    #[arg(long, value_name = "PROFILE", default_value = "azure", value_parser = profile)]
    charge_profile: ChargeProfile,

    /// Consistency of the account; Strong and BoundedStaleness double what reads cost
    #[arg(long, value_name = "LEVEL", default_value = "Session", value_parser = consistency)]
    consistency: ConsistencyLevel,

    /// Do not serve the page at /_explorer/index.html
    #[arg(long)]
    no_explorer: bool,

    /// For tests of client libraries: unsigned paths that move the clock and split partitions; needs --memory
    #[arg(long, requires = "memory", hide = true)]
    test_control: bool,

    #[command(flatten)]
    key: KeyFlags,

    #[command(flatten)]
    issuer: IssuerFlags,

    #[command(flatten)]
    usage: UsageFlags,

    #[command(flatten)]
    tls: TlsFlags,

    #[command(flatten)]
    store: StoreFlags,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Policy {
    /// Refuse them with a plan, as the hosted service does; clients merge
    Strict,
    /// Answer them whole
    Generous,
}

impl Serve {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let wishes = Wishes::of(std::env::vars());
        wishes.warnings.iter().for_each(|warning| warn(warning));
        open::run(self.or(wishes).serve())?;
        Ok(ExitCode::SUCCESS)
    }

    /// The flags, with what the environment wishes where they say nothing.
    fn or(self, wishes: Wishes) -> Self {
        let key = self.key.or(&wishes);
        let tls = self.tls.or(&wishes);
        let memory = self.memory || (wishes.memory && self.data.is_none());
        Self {
            key,
            tls,
            memory,
            no_explorer: self.no_explorer || wishes.explorer == Some(false),
            port: self.port.or(wishes.port),
            data: self.data.or(wishes.data),
            public_endpoint: self.public_endpoint.or(wishes.public_endpoint),
            ..self
        }
    }

    fn port(&self) -> u16 {
        self.port.unwrap_or(PORT)
    }

    fn folder(&self) -> PathBuf {
        self.data.clone().unwrap_or_else(|| PathBuf::from(FOLDER))
    }

    async fn serve(self) -> Result<(), Failure> {
        let key = self.key.account_key()?;
        let trust = self.issuer.trust()?;
        let prices = self.usage.prices()?;
        let addresses = self.addresses().await?;
        self.key.check(&key, &addresses)?;
        // Before the store is opened: a taken port is the commonest mistake, and the cheapest to find.
        let listener = TcpListener::bind(addresses.as_slice()).await.map_err(|error| {
            Failure::new(format!("listening on {}:{}", self.host, self.port()), error.to_string())
                .way_out("Choose another --port, or stop what uses this one")
        })?;
        let certificate = self.tls.certificate(&self.host, &addresses)?;
        let control = self.test_control.then(TestControl::new);
        let engine = self.open(control.clone()).await?;
        let mut settings = self.settings(key, trust, control);
        settings.prices = prices;
        let gateway = Gateway::new(engine.clone(), settings);
        let saving = (!self.memory).then(|| keep_saving(engine.clone(), self.folder()));
        let stop = stop_signal()?;
        self.announce(&gateway, &listener, certificate.is_some())?;
        match &certificate {
            None => gateway.serve(listener, stop).await,
            Some(certificate) => {
                gateway.serve_tls(listener, certificate, stop).await.map_err(|invalid| {
                    Failure::new("serving HTTPS", invalid.message())
                        .way_out("Give a certificate and the key that belongs to it")
                })?;
            }
        }
        drop(gateway);
        if let Some(saving) = saving {
            saving.abort();
            save(&engine, &self.folder());
        }
        engine.close().await.map_err(|error| Failure::of("closing the store", &error))
    }

    async fn addresses(&self) -> Result<Vec<SocketAddr>, Failure> {
        let found = lookup_host((self.host.as_str(), self.port())).await.map_err(|error| {
            Failure::new(format!("looking up the host '{}'", self.host), error.to_string())
                .way_out("Give an address of this machine, such as 127.0.0.1 or 0.0.0.0")
        })?;
        Ok(found.collect())
    }

    async fn open(&self, control: Option<Arc<TestControl>>) -> Result<Engine, Failure> {
        let what = "opening an account in memory";
        if let Some(clock) = control {
            let environment =
                Environment::new(clock, Arc::new(SystemRandomness), Arc::new(TokioSpawner));
            let store = Arc::new(storage::memory::MemoryStore::new());
            let opened = Engine::open(store, environment, self.account()).await;
            return opened.map_err(|error| Failure::of(what, &error));
        }
        if self.memory {
            let store = Arc::new(storage::memory::MemoryStore::new());
            let opened = Engine::open(store, Environment::system(), self.account()).await;
            return opened.map_err(|error| Failure::of(what, &error));
        }
        self.store.open_with(&self.folder(), self.account()).await
    }

    /// What the flags say about the account.
    fn account(&self) -> engine::EngineSettings {
        engine::EngineSettings {
            charge_profile: self.charge_profile,
            consistency: self.consistency,
            ..self.usage.engine_settings()
        }
    }

    fn settings(
        &self,
        key: AccountKey,
        trust: Trust,
        test_control: Option<Arc<TestControl>>,
    ) -> Settings {
        let cross_partition = match self.cross_partition {
            Policy::Strict => CrossPartition::Strict,
            Policy::Generous => CrossPartition::Generous,
        };
        let log = Log::to(warn);
        let public_endpoint = self.public_endpoint.clone();
        let Trust { issuer, role_assignments } = trust;
        let mut settings = Settings {
            key,
            issuer,
            role_assignments,
            cross_partition,
            public_endpoint,
            explorer: !self.no_explorer,
            log,
            ..Settings::default()
        };
        if test_control.is_some() {
            // A moved clock is not the clients' clock.
            settings.clock_skew_max_seconds = None;
        }
        settings.test_control = test_control;
        settings
    }

    fn announce(
        &self,
        gateway: &Gateway,
        listener: &TcpListener,
        is_tls: bool,
    ) -> Result<(), Failure> {
        let port = listener.local_addr().map_or(self.port(), |address| address.port());
        let endpoint = match &self.public_endpoint {
            Some(endpoint) => endpoint.clone(),
            None if is_tls => format!("https://{}:{port}/", self.shown_host()),
            None => format!("http://{}:{port}/", self.shown_host()),
        };
        let data = match self.memory {
            true => "memory".to_owned(),
            false => self.folder().display().to_string(),
        };
        let key = &gateway.settings().key;
        let ready = Ready { endpoint: &endpoint, key, data: &data };
        if self.ready_json { ready.tell_as_json() } else { ready.tell() }
    }

    /// A host that a client on this machine can use.
    fn shown_host(&self) -> &str {
        match self.host.as_str() {
            "127.0.0.1" | "0.0.0.0" | "::" | "[::]" => "localhost",
            "::1" => "[::1]",
            host => host,
        }
    }
}

fn consistency(word: &str) -> Result<ConsistencyLevel, String> {
    ConsistencyLevel::parse(word).map_err(|invalid| invalid.message().to_owned())
}

/// A line for whoever runs the server.
pub(crate) fn warn(line: &str) {
    // When even this cannot be written, nobody reads.
    let _ = writeln!(std::io::stderr(), "planisphere: {line}");
}

/// Completes at the first SIGTERM or SIGINT.
pub(crate) fn stop_signal() -> Result<impl Future<Output = ()>, Failure> {
    let listen = |kind| {
        signal(kind).map_err(|error| {
            Failure::new("listening for signals", error.to_string()).way_out("Run it again")
        })
    };
    let (mut terminate, mut interrupt) =
        (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
