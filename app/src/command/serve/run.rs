//! The command: open the store, listen, announce, serve, close.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use engine::{Engine, Environment, SystemRandomness, TokioSpawner};
use gateway::{AccountKey, Gateway, GatewaySettings, Log, TestControl};
use model::{ChargeProfile, ConsistencyLevel};

use super::account_key::KeyFlags;
use super::announce::ReadyMessage;
use super::certificate::{CertificatePlace, TlsFlags, certificate_names};
use super::emulator::{EmulatorVariables, VariableScope};
use super::endpoint::{
    EMULATOR_REGION, addresses_of, endpoint_url, is_reached_as_address, is_unspecified, shown_host,
};
use super::evaluation::{CrossPartitionPolicy, EvaluationFlags};
use super::explorer::{ExplorerFlags, host_of};
use super::faults::FaultFlags;
use super::issuer::{IssuerFlags, TrustedIssuer};
use super::limits::LimitFlags;
use super::listeners::{Listeners, Ports};
use super::partitions::PartitionFlags;
use super::stop::stop_signal;
use super::usage::{UsageFlags, save, save_periodically};
use crate::command::cost::profile;
use crate::error::CommandError;
use crate::log::LogFlags;
use crate::open::{self, StoreFlags, with_scripts};
use crate::output::warn;

/// The port of the emulators.
const PORT: u16 = 8081;
const FOLDER: &str = "./planisphere-data";
const HOST: &str = "127.0.0.1";
/// The address of all network interfaces.
const EVERY_HOST: &str = "0.0.0.0";

/// Serve the REST API, for the official client libraries
#[derive(Debug, Args)]
pub(crate) struct ServeCommand {
    /// Port to listen on, 8081 by default; 0 chooses a free port
    #[arg(long)]
    port: Option<u16>,

    /// Host name or address to listen on, 127.0.0.1 by default
    #[arg(long)]
    host: Option<String>,

    /// Port of its own for health probes in the form of Microsoft's emulators: /alive, /ready and /status
    #[arg(long, value_name = "PORT")]
    health_port: Option<u16>,

    /// Port of its own for the data explorer, which is then at / there too
    #[arg(long, value_name = "PORT", conflicts_with = "no_explorer")]
    explorer_port: Option<u16>,

    /// Folder of the store, ./planisphere-data by default, or postgres://...; created if it does not exist
    #[arg(long, visible_alias = "store", value_name = "DIR", conflicts_with = "memory")]
    data: Option<PathBuf>,

    /// Address at which other processes on the same PostgreSQL store reach this one; by default the one it listens on
    #[cfg(feature = "postgres")]
    #[arg(long, value_name = "HOST:PORT", requires = "data")]
    forward_address: Option<String>,

    /// Keep everything in memory; nothing is stored on disk
    #[arg(long)]
    memory: bool,

    /// Print one JSON line when ready, and nothing else
    #[arg(long)]
    ready_json: bool,

    /// What to do with cross-partition queries whose results must be merged
    #[arg(long, value_enum, default_value_t = CrossPartitionPolicy::Strict)]
    cross_partition: CrossPartitionPolicy,

    /// Keep the digits of numbers as clients send them; by default 1.0 is stored as 1, as in the service
    #[arg(long)]
    exact_numbers: bool,

    /// Address or host name returned to clients, if they cannot use the one they connected to
    #[arg(long, value_name = "URL")]
    public_endpoint: Option<String>,

    /// Whether a replace pays for removing the old version: azure (yes) or native (no)
    #[arg(long, value_name = "PROFILE", default_value = "azure", value_parser = profile)]
    charge_profile: ChargeProfile,

    /// Default consistency of the account, Session by default; Strong and BoundedStaleness double the charge of reads
    #[arg(long, value_name = "LEVEL", value_parser = consistency)]
    consistency: Option<ConsistencyLevel>,

    /// For tests: unsigned requests that move the clock, split partitions and inject faults; requires --memory
    #[arg(long, requires = "memory")]
    test_control: bool,

    #[command(flatten)]
    key: KeyFlags,

    #[command(flatten)]
    explorer: ExplorerFlags,

    #[command(flatten)]
    issuer: IssuerFlags,

    #[command(flatten)]
    usage: UsageFlags,

    #[command(flatten)]
    evaluation: EvaluationFlags,

    #[command(flatten)]
    partitions: PartitionFlags,

    #[command(flatten)]
    tls: TlsFlags,

    #[command(flatten)]
    limits: LimitFlags,

    #[command(flatten)]
    faults: FaultFlags,

    #[command(flatten)]
    log: LogFlags,

    #[command(flatten)]
    store: StoreFlags,

    /// Whether the output follows the emulators to the byte.
    #[arg(skip)]
    is_emulator: bool,

    /// A second port of the API.
    #[arg(skip)]
    compute_port: Option<u16>,
}

impl ServeCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let variables = EmulatorVariables::read(VariableScope::Serve, std::env::vars());
        self.run_with(variables)
    }

    /// Runs it for `planisphere emulator`.
    pub(crate) fn run_as_emulator(
        mut self,
        variables: EmulatorVariables,
    ) -> Result<ExitCode, CommandError> {
        self.is_emulator = true;
        self.run_with(variables)
    }

    fn run_with(self, variables: EmulatorVariables) -> Result<ExitCode, CommandError> {
        variables.warnings.iter().for_each(|warning| warn(warning));
        let serve = self.with_variables(variables);
        serve.log.install();
        open::block_on(serve.serve())?;
        Ok(ExitCode::SUCCESS)
    }

    /// Adds the emulators' environment variables where the flags are absent.
    fn with_variables(self, variables: EmulatorVariables) -> Self {
        let key = self.key.with_variables(&variables);
        let tls = self.tls.with_variables(&variables);
        let explorer = self.explorer.with_variables(&variables);
        let usage = self.usage.with_variables(&variables);
        let log = self.log.with_variable(variables.log);
        // A flag wins over a variable: `--data` turns the variable off.
        let memory = self.memory || (variables.persistence == Some(false) && self.data.is_none());
        let every_host = variables.allow_network.then(|| EVERY_HOST.to_owned());
        let explorer_port = variables.explorer_port.filter(|_| explorer.is_served());
        Self {
            key,
            tls,
            memory,
            explorer,
            usage,
            log,
            host: self.host.or(every_host),
            health_port: self.health_port.or(variables.health_port),
            compute_port: variables.compute_port,
            explorer_port: self.explorer_port.or(explorer_port),
            consistency: self.consistency.or(variables.consistency),
            port: self.port.or(variables.port),
            data: self.data.or(variables.data),
            public_endpoint: self.public_endpoint.or(variables.public_endpoint),
            ..self
        }
    }

    fn host(&self) -> &str {
        self.host.as_deref().unwrap_or(HOST)
    }

    fn ports(&self) -> Ports {
        Ports {
            api: self.port.unwrap_or(PORT),
            compute: self.compute_port,
            health: self.health_port,
            explorer: self.explorer_port,
        }
    }

    fn folder(&self) -> PathBuf {
        self.data.clone().unwrap_or_else(|| PathBuf::from(FOLDER))
    }

    async fn serve(self) -> Result<(), CommandError> {
        let key = self.key.account_key()?;
        let trust = self.issuer.trust()?;
        let prices = self.usage.prices()?;
        let faults = self.faults.rules(self.test_control)?;
        let addresses = addresses_of(self.host(), self.ports().api).await?;
        // The well-known key must not protect an address that other machines can reach.
        self.key.check_public(&key, &addresses)?;
        // Before the store is opened: a port in use is the most common error, and the cheapest to find.
        let listeners = Listeners::bind(&addresses, self.ports()).await?;
        let port = listeners.api.local_addr().map_or(PORT, |address| address.port());
        let control = self.test_control.then(TestControl::new);
        let mut settings = self.settings(key, trust, control.clone());
        settings.prices = prices;
        settings.faults = faults;
        settings.public_endpoint =
            self.public_endpoint.as_deref().map(|given| endpoint_url(given, port, &self.tls));
        if self.is_emulator {
            settings.region = EMULATOR_REGION.to_owned();
            settings.localhost_as_address = is_reached_as_address(&addresses, &self.tls);
        }
        #[cfg(feature = "postgres")]
        if let Some(url) = self.data.as_deref().and_then(open::database_url) {
            return self.serve_shared(url, settings, listeners, &addresses).await;
        }
        let engine = self.open(control).await?;
        // After the store is opened, because only then its folder exists.
        let tls = self.tls.setup(&self.certificate_place(&settings, &addresses))?;
        if self.is_emulator {
            tls.publish_as_emulator();
        }
        let gateway = Gateway::new(engine.clone(), settings);
        let saving = (!self.memory).then(|| save_periodically(engine.clone(), self.folder()));
        let stop = stop_signal()?;
        let token = gateway.settings().explorer.as_ref().map(|_| gateway.explorer_token());
        self.announce(gateway.settings(), token, port)?;
        listeners.serve(&gateway, &tls, stop).await?;
        // It holds a handle to the engine, which is closed below.
        drop(gateway);
        if let Some(saving) = saving {
            saving.abort();
            // After serving and before closing: the counters since the last save are in memory only.
            save(&engine, &self.folder());
        }
        engine.close().await.map_err(|error| CommandError::from_error("closing the store", &error))
    }

    /// Serves from a database, with whoever else does.
    #[cfg(feature = "postgres")]
    async fn serve_shared(
        &self,
        url: &str,
        settings: GatewaySettings,
        listeners: Listeners,
        addresses: &[SocketAddr],
    ) -> Result<(), CommandError> {
        let tls = self.tls.setup(&self.certificate_place(&settings, addresses))?;
        let listened = listeners.api.local_addr().ok();
        let port = listened.map_or(PORT, |address| address.port());
        let announced = settings.clone();
        let server = super::shared::SharedServer {
            location: crate::database::parse(url)?,
            flags: &self.store,
            account: self.account(),
            settings,
            tls: &tls,
            listeners,
            address: super::shared::forward_address(self.forward_address.as_deref(), listened),
        };
        server.serve(stop_signal()?, |token| self.announce(&announced, token, port)).await
    }

    /// Where a generated certificate is kept, and the names that clients use for this server.
    fn certificate_place(
        &self,
        settings: &GatewaySettings,
        addresses: &[SocketAddr],
    ) -> CertificatePlace {
        let public = settings.public_endpoint.as_deref().map(host_of);
        let allowed = settings.allowed_hosts.iter().map(String::as_str);
        let names = certificate_names(addresses, allowed.chain(public).chain([self.host()]));
        let folder = Some(self.folder()).filter(|folder| open::database_url(folder).is_none());
        CertificatePlace { folder: folder.filter(|_| !self.memory), names }
    }

    async fn open(&self, control: Option<Arc<TestControl>>) -> Result<Engine, CommandError> {
        let environment = match control {
            Some(clock) => {
                Environment::new(clock, Arc::new(SystemRandomness), Arc::new(TokioSpawner))
            }
            None if self.memory => Environment::system(),
            None => return self.store.open_with(&self.folder(), self.account()).await,
        };
        let store = Arc::new(storage::memory::MemoryStore::new());
        let opened = Engine::open(store, with_scripts(environment), self.account()).await;
        opened.map_err(|error| CommandError::from_error("opening an account in memory", &error))
    }

    /// The host names that clients may use with the well-known key: the given ones, and the one we listen at.
    fn allowed_hosts(&self) -> Vec<String> {
        let listened = Some(self.host()).filter(|host| !is_unspecified(host));
        let allowed = self.key.allowed_hosts().iter().map(String::as_str);
        allowed.chain(listened).map(str::to_owned).collect()
    }

    /// The engine settings from the flags.
    fn account(&self) -> engine::EngineSettings {
        let settings = engine::EngineSettings {
            charge_profile: self.charge_profile,
            consistency: self.consistency.unwrap_or(ConsistencyLevel::Session),
            exact_numbers: self.exact_numbers,
            ..self.usage.engine_settings()
        };
        self.partitions.apply(self.evaluation.apply(settings))
    }

    fn settings(
        &self,
        key: AccountKey,
        trust: TrustedIssuer,
        test_control: Option<Arc<TestControl>>,
    ) -> GatewaySettings {
        let log = Log::new(warn);
        let TrustedIssuer { issuer, role_assignments } = trust;
        let public_host = self.public_endpoint.as_deref().map(host_of);
        let allowed_hosts = self.allowed_hosts();
        let names = allowed_hosts.iter().map(String::as_str).chain([self.host()]);
        let explorer = self.explorer.settings(public_host.into_iter().chain(names));
        let mut settings = GatewaySettings {
            key,
            issuer,
            role_assignments,
            cross_partition: self.cross_partition.into(),
            allowed_hosts,
            limits: self.limits.limits(),
            container_metrics: self.usage.shows_containers(),
            explorer,
            log,
            ..GatewaySettings::default()
        };
        if test_control.is_some() {
            // Clients do not share the moved clock.
            settings.clock_skew_max_seconds = None;
        }
        settings.test_control = test_control;
        settings.limits.page_ms_max = self.evaluation.page_ms_max();
        settings
    }

    fn announce(
        &self,
        settings: &GatewaySettings,
        explorer_token: Option<&str>,
        port: u16,
    ) -> Result<(), CommandError> {
        let scheme = if self.tls.is_enabled() { "https" } else { "http" };
        let listened = format!("{scheme}://{}:{port}", self.host());
        let endpoint = match &settings.public_endpoint {
            Some(endpoint) => endpoint.clone(),
            None => format!("{scheme}://{}:{port}/", shown_host(self.host())),
        };
        let data = match self.memory {
            true => "memory".to_owned(),
            false => open::shown_location(&self.folder()),
        };
        let key = Some(&settings.key).filter(|_| !self.key.has_key_file());
        let ready = ReadyMessage {
            endpoint: &endpoint,
            listened: &listened,
            key,
            data: &data,
            explorer_token,
            is_emulator: self.is_emulator,
        };
        if self.ready_json { ready.print_json() } else { ready.print() }
    }
}

fn consistency(word: &str) -> Result<ConsistencyLevel, String> {
    ConsistencyLevel::parse(word).map_err(|invalid| invalid.message().to_owned())
}
