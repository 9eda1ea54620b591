//! Serves the HTTP API and the web page, and processes events, until a signal.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use notifications::PAGES;
use notifications::delivery::Delivery;
use tokio::net::TcpListener;

use super::configuration::{AllSettings, ServiceSettings};
use super::demo::{self, DemoProviders};
use super::open::{open_system, providers, system_error};
use crate::command::system::{
    DefaultAccount, HostSettings, ServedSystem, ServiceHost, ServingFlags,
};
use crate::error::CommandError;

/// Serve the HTTP API and the web page, and process events, until ctrl-c
#[derive(Debug, Args)]
pub(super) struct NotificationsServeCommand {
    #[command(flatten)]
    serving: ServingFlags,
}

impl NotificationsServeCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let settings =
            self.serving.settings.load::<ServiceSettings>(&self.serving.flag_settings())?.value.0;
        let host = HostSettings {
            service_name: "notifications",
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
        settings: &AllSettings,
        host: &ServiceHost,
        listener: TcpListener,
    ) -> Result<(), CommandError> {
        let demo = if self.serving.demo { Some(DemoProviders::start().await?) } else { None };
        let server = &host.server;
        let delivery: Arc<dyn Delivery> = match &demo {
            Some(demo) => providers(&demo.settings(settings))?,
            None => providers(settings)?,
        };
        let system = open_system(host.account.clone(), settings, delivery).await?;
        if demo.is_some() {
            demo::seed(&system).await?;
        }
        let router = system.router(server, PAGES);
        let links = demo::links(server.identity());
        let served = ServedSystem { title: "Notifications", links: &links };
        let serving = async |listener| server.serve_at(listener, router).await;
        let working = system.run(server.shutdown());
        let worked =
            host.serve(&self.serving, listener, served, serving, working, async {}).await?;
        worked.map_err(|error| system_error("processing events", &error))
    }
}
