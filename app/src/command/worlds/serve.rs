//! Serves the HTTP API and keeps the trees, until a signal.

use std::process::ExitCode;

use clap::Args;
use tokio::net::TcpListener;
use worlds::WORLD_PAGES;

use super::configuration::{WorldsCommandSettings, WorldsServiceSettings};
use super::demo;
use super::open::{open_worlds, worlds_error};
use crate::command::system::{
    DefaultAccount, HostSettings, ServedSystem, ServiceHost, ServingFlags,
};
use crate::error::CommandError;
use crate::output::line;

/// Serve the HTTP API until ctrl-c
#[derive(Debug, Args)]
pub(super) struct WorldsServeCommand {
    #[command(flatten)]
    serving: ServingFlags,
}

impl WorldsServeCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let flags = self.serving.flag_settings();
        let settings = self.serving.settings.load::<WorldsServiceSettings>(&flags)?.value.0;
        let identity = settings.identity();
        let host = HostSettings {
            service_name: "worlds",
            telemetry: &settings.telemetry,
            http: &settings.http,
            identity: &identity,
        };
        let opening = self.serving.open(DefaultAccount::Folder);
        let (host, listener) = ServiceHost::start(&self.serving, host, opening).await?;
        let served = self.serve(&settings, &host, listener).await;
        host.close(served).await
    }

    async fn serve(
        &self,
        settings: &WorldsCommandSettings,
        host: &ServiceHost,
        listener: TcpListener,
    ) -> Result<(), CommandError> {
        let server = &host.server;
        let system = open_worlds(host.account.clone(), settings.system.clone()).await?;
        if self.serving.demo {
            demo::fill(&system).await?;
        }
        let router = system.router(server, WORLD_PAGES);
        if !self.serving.ready_json {
            for text in demo::tokens(server.identity()) {
                line(text)?;
            }
        }
        let links = demo::links(server.identity());
        let served = ServedSystem { title: "Worlds", links: &links };
        let serving = async |listener| server.serve_at(listener, router).await;
        let working = system.run(server.shutdown());
        let worked =
            host.serve(&self.serving, listener, served, serving, working, async {}).await?;
        worked.map_err(|error| worlds_error("keeping the trees", &error))
    }
}
