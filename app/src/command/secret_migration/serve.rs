//! Serves the HTTP API and the web page, and migrates workloads, until a signal.

use std::process::ExitCode;

use clap::Args;
use secret_migration::{KubernetesApi, PAGES, SecretMigration, serve_certified};
use service::http::HttpServer;
use tokio::net::TcpListener;

use super::configuration::{TrackerServiceSettings, TrackerSettings};
use super::demo::{self, DemoVaults};
use super::open::{open_tracker, platforms, tracker_error};
use crate::command::system::{
    DefaultAccount, HostSettings, ServedSystem, ServiceHost, ServingFlags,
};
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
        let host = HostSettings {
            service_name: "secret-migration",
            telemetry: &settings.telemetry,
            http: &settings.http,
            identity: &settings.identity,
        };
        let opening = self.serving.open(DefaultAccount::Folder);
        let (host, listener) = ServiceHost::start(&self.serving, host, opening).await?;
        let served = self.serve(&settings, &host, listener).await;
        host.close(served).await
    }

    async fn serve(
        &self,
        settings: &TrackerSettings,
        host: &ServiceHost,
        listener: TcpListener,
    ) -> Result<(), CommandError> {
        let vaults = if self.serving.demo { Some(DemoVaults::start().await?) } else { None };
        let settings =
            &vaults.as_ref().map_or(settings.clone(), |vaults| vaults.settings(settings));
        let (account, server) = (host.account.clone(), &host.server);
        let platforms = platforms(settings, account.environment())?;
        let system = open_tracker(account, settings, platforms).await?;
        if self.serving.demo {
            demo::seed(&system, settings).await?;
        }
        start_certified(settings, &system, server).await?;
        start_kubernetes(settings, &system, server)?;
        let router = system.router(server, PAGES);
        let links = demo::links(server.identity());
        let title = "Secrets migration tracker";
        let served = ServedSystem { title, links: &links };
        let serving = async |listener| server.serve_at(listener, router).await;
        let working = async {
            tokio::join!(system.run(server.shutdown()), system.follow_changes(server.shutdown()))
        };
        host.serve(&self.serving, listener, served, serving, working, async {})
            .await
            .map(|((), ())| ())
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
