//! Serve: open, listen, announce, work until a signal, close.

use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use client::{Account, Environment, StorageLocation};
use notifications::PAGES;
use notifications::delivery::Delivery;
use serde_json::{Map, json};
use service::http::Kit;
use service::identity::{Identity, IdentityMode};
use service::telemetry::Telemetry;
use tokio::net::TcpListener;

use super::configuration::{Everything, Served, SettingsFlags};
use super::demo::{self, Demo};
use super::log;
use super::opening::{on, providers, told};
use crate::command::stop_signal;
use crate::failure::Failure;
use crate::open::StoreFlags;
use crate::output::line;
use crate::place::{Missing, Place, PlaceFlags};

const PORT: u16 = 8080;
const FOLDER: &str = "./planisphere-data";

/// Serve the HTTP interface and the page, and process events, until ctrl-c
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Port to listen on, 8080 by default; 0 takes a free one. Wins over Http:Listen
    #[arg(long)]
    port: Option<u16>,

    /// Address to listen on, 127.0.0.1 by default
    #[arg(long, value_name = "IP")]
    host: Option<IpAddr>,

    /// Keep everything in memory and forget it at the end
    #[arg(long, conflicts_with_all = ["data", "endpoint", "connection_string"])]
    memory: bool,

    /// Make people and events to try, believe our own tokens, push to providers inside this program, and print a link
    /// that signs in; in memory unless a place is named
    #[arg(long)]
    demo: bool,

    /// Let other machines reach the demonstration, where everybody may become anybody
    #[arg(long)]
    allow_remote_demo: bool,

    /// Print one JSON line when ready, and nothing else
    #[arg(long)]
    ready_json: bool,

    /// Log requests too
    #[arg(long)]
    verbose: bool,

    #[command(flatten)]
    place: PlaceFlags,

    #[command(flatten)]
    settings: SettingsFlags,

    #[command(flatten)]
    store: StoreFlags,
}

impl Serve {
    pub(super) async fn run(self) -> Result<ExitCode, Failure> {
        let settings = self.settings.load::<Served>(&self.more())?.value.0;
        let telemetry = settings.telemetry.clone().of_service("notifications");
        let telemetry = Telemetry::new(telemetry, &Environment::system());
        log::begin(self.verbose, &telemetry);
        telemetry.start();
        // Before the store is opened: a taken port is the commonest mistake, and the cheapest to find.
        let listener = self.listen(&settings).await?;
        let (account, place) = self.open().await?;
        let demo = if self.demo { Some(Demo::start().await?) } else { None };
        let kit = Self::kit(&settings, &account, &telemetry)?;
        let served = self.serve(&settings, listener, &kit, account.clone(), &place, demo.as_ref());
        let served = served.await;
        let closed = account.close().await;
        telemetry.stop().await;
        served?;
        closed.map_err(|error| Failure::of(format!("closing {place}"), &error))?;
        Ok(ExitCode::SUCCESS)
    }

    /// What the flags say, as settings.
    fn more(&self) -> Vec<String> {
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

    async fn listen(&self, settings: &Everything) -> Result<TcpListener, Failure> {
        let listen = &settings.http.listen;
        let what = || format!("listening on {listen}");
        let listener = TcpListener::bind(listen).await.map_err(|error| {
            Failure::new(what(), error.to_string())
                .way_out("Choose another --port, or stop what uses this one")
        })?;
        let address = listener.local_addr();
        let address = address.map_err(|error| Failure::new(what(), error.to_string()))?;
        let believes_anybody = settings.identity.mode == IdentityMode::Demo;
        if believes_anybody && !address.ip().is_loopback() && !self.allow_remote_demo {
            let why =
                "other machines could reach the demonstration, where everybody may become anybody";
            return Err(Failure::new("serving", why).way_out(
                "Listen on 127.0.0.1, or say --allow-remote-demo if the network is yours",
            ));
        }
        Ok(listener)
    }

    /// The account and what it is called.
    async fn open(&self) -> Result<(Account, String), Failure> {
        let place = match self.place.named()? {
            Some(place) => place,
            None if self.memory || self.demo => {
                let account = Account::embedded(StorageLocation::Memory).await;
                let account =
                    account.map_err(|error| Failure::of("opening an account in memory", &error))?;
                return Ok((account, "memory".to_owned()));
            }
            None => Place::Folder(FOLDER.into()),
        };
        Ok((place.open(&self.store, Missing::Make).await?, place.to_string()))
    }

    /// What surrounds the routes; the totals of data calls are among its metrics.
    fn kit(
        settings: &Everything,
        account: &Account,
        telemetry: &Telemetry,
    ) -> Result<Kit, Failure> {
        let environment = account.environment().clone();
        let identity = Identity::new(environment.clone(), &settings.identity)
            .map_err(|why| Failure::new("reading the settings of identity", why))?;
        let kit = Kit::new(environment, settings.http.clone(), identity);
        let telemetry = telemetry.clone();
        kit.metrics().add_source(move || telemetry.render());
        Ok(kit)
    }

    async fn serve(
        &self,
        settings: &Everything,
        listener: TcpListener,
        kit: &Kit,
        account: Account,
        place: &str,
        demo: Option<&Demo>,
    ) -> Result<(), Failure> {
        let delivery: Arc<dyn Delivery> = match demo {
            Some(demo) => providers(&demo.settings(settings))?,
            None => providers(settings)?,
        };
        let system = on(account, settings, delivery).await?;
        if demo.is_some() {
            demo::seed(&system).await?;
        }
        let router = system.router(kit, PAGES);
        let stop = stop_signal()?;
        self.announce(&listener, kit, place)?;
        let stopping = async {
            stop.await;
            kit.stop().stop();
        };
        let working = async {
            let worked = system.run(kit.stop()).await;
            // Without its worker the service would take events in and never tell anybody.
            kit.stop().stop();
            worked
        };
        let ended = async { tokio::join!(kit.serve_at(listener, router), working) };
        tokio::pin!(ended);
        let (served, worked) = tokio::select! {
            both = &mut ended => both,
            () = stopping => ended.await,
        };
        served
            .map_err(|error| Failure::new("serving", error.to_string()).way_out("Run it again"))?;
        worked.map_err(|error| told("processing events", &error))
    }

    fn announce(&self, listener: &TcpListener, kit: &Kit, place: &str) -> Result<(), Failure> {
        let address = listener.local_addr();
        let address = address.map_err(|error| Failure::new("listening", error.to_string()))?;
        let host = match address.ip() {
            ip if ip.is_unspecified() || ip == IpAddr::from([127, 0, 0, 1]) => {
                "localhost".to_owned()
            }
            IpAddr::V6(ip) => format!("[{ip}]"),
            ip @ IpAddr::V4(_) => ip.to_string(),
        };
        let url = format!("http://{host}:{}", address.port());
        let links = demo::links(kit.identity());
        if self.ready_json {
            let links: Map<_, _> = links
                .iter()
                .map(|(name, path)| (name.clone(), json!(format!("{url}{path}"))))
                .collect();
            let ready = json!({ "endpoint": format!("{url}/"), "data": place, "signIn": links });
            return line(json!({ "ready": ready }));
        }
        line(format_args!("Notifications at {url}/ (data: {place})"))?;
        for (name, path) in &links {
            line(format_args!("Sign in as {name}: {url}{path}"))?;
        }
        if !links.is_empty() {
            line("A link works once, within 15 minutes.")?;
        }
        line("Ready")
    }
}
