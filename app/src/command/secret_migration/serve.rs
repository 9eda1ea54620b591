//! Serves the HTTP API and the web page, and migrates workloads, until a signal.

use std::process::ExitCode;

use clap::Args;
use client::{Account, Environment};
use secret_migration::{KubernetesApi, PAGES, SecretMigration, serve_certified};
use service::http::HttpServer;
use service::telemetry::Telemetry;
use tokio::net::TcpListener;

use super::configuration::{TrackerServiceSettings, TrackerSettings};
use super::demo::{self, DemoVaults};
use super::open::{open_tracker, platforms, tracker_error};
use crate::command::stop_signal;
use crate::command::system::{DefaultAccount, ServingFlags, begin_log, http_server};
use crate::error::CommandError;

/// Serve the HTTP API and the web page, and migrate workloads, until ctrl-c
#[derive(Debug, Args)]
pub(super) struct TrackerServeCommand {
    #[command(flatten)]
    serving: ServingFlags,
}

impl TrackerServeCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let settings = self
            .serving
            .settings
            .load::<TrackerServiceSettings>(&self.serving.flag_settings())?
            .value
            .0;
        let telemetry = settings.telemetry.clone().with_default_service_name("secret-migration");
        let telemetry = Telemetry::new(telemetry, &Environment::system());
        begin_log(self.serving.verbose, &telemetry);
        telemetry.start();
        // Before the store is opened: a port in use is the most common error, and the cheapest to find.
        let listener = self.serving.listen(&settings.http.listen, &settings.identity).await?;
        let (account, location) = self.serving.open(DefaultAccount::Folder).await?;
        let vaults = if self.serving.demo { Some(DemoVaults::start().await?) } else { None };
        let settings =
            vaults.as_ref().map_or(settings.clone(), |vaults| vaults.settings(&settings));
        let server = http_server(settings.http.clone(), &settings.identity, &account, &telemetry)?;
        let served = self.serve(&settings, listener, &server, account.clone(), &location).await;
        let closed = account.close().await;
        // Last, so that spans of the shutdown are exported, too.
        telemetry.stop().await;
        served?;
        closed.map_err(|error| CommandError::from_error(format!("closing {location}"), &error))?;
        Ok(ExitCode::SUCCESS)
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
        if self.serving.demo {
            demo::seed(&system, settings).await?;
        }
        start_certified(settings, &system, server).await?;
        start_kubernetes(settings, &system, server)?;
        let router = system.router(server, PAGES);
        let stop = stop_signal()?;
        let links = demo::links(server.identity());
        self.serving.announce("Secrets migration tracker", &listener, &links, location)?;
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
    let api = KubernetesApi::open(settings.kubernetes.clone());
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
