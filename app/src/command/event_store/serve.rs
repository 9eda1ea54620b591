//! Serves the HTTP API and runs the projections, until a signal.

use std::process::ExitCode;

use clap::Args;
use event_store::{PAGES, StoreProvider};
use tokio::net::TcpListener;

use super::configuration::{EventStoreCommandSettings, EventStoreServiceSettings};
use super::demo;
use super::open::{empty_account, open_on};
use crate::command::system::{
    DefaultAccount, HostSettings, ServedSystem, ServiceHost, ServingFlags,
};
use crate::error::CommandError;
use crate::output::line;

/// Serve the HTTP API until ctrl-c
#[derive(Debug, Args)]
pub(super) struct EventStoreServeCommand {
    #[command(flatten)]
    serving: ServingFlags,
}

impl EventStoreServeCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let flags = self.serving.flag_settings();
        let settings = self.serving.settings.load::<EventStoreServiceSettings>(&flags)?.value.0;
        let host = HostSettings {
            service_name: "event-store",
            telemetry: &settings.telemetry,
            http: &settings.http,
            identity: &settings.identity,
        };
        let opening = async {
            match settings.event_store.provider {
                StoreProvider::Account => self.serving.open(DefaultAccount::Folder).await,
                StoreProvider::Postgres => Ok((empty_account().await?, "PostgreSQL".to_owned())),
            }
        };
        let (host, listener) = ServiceHost::start(&self.serving, host, opening).await?;
        let served = self.serve(&settings, &host, listener).await;
        host.close(served).await
    }

    async fn serve(
        &self,
        settings: &EventStoreCommandSettings,
        host: &ServiceHost,
        listener: TcpListener,
    ) -> Result<(), CommandError> {
        let server = &host.server;
        let open = open_on(host.account.clone(), settings.event_store.clone()).await?;
        let system = match settings.event_store.provider {
            StoreProvider::Account => open.system.with_migrations(&open.account),
            StoreProvider::Postgres => open.system,
        };
        if self.serving.demo {
            demo::fill(&system).await?;
        }
        let router = system.router(server, PAGES);
        if !self.serving.ready_json {
            for text in demo::tokens(server.identity()) {
                line(text)?;
            }
        }
        let links = demo::links(server.identity());
        let served = ServedSystem { title: "Event store", links: &links };
        let serving = async |listener| server.serve_at(listener, router).await;
        let working = system.run(server.shutdown());
        host.serve(&self.serving, listener, served, serving, working, async {}).await
    }
}
