//! Serves the HTTP API and keeps the trees, until a signal.

use std::process::ExitCode;

use clap::Args;
use client::{Account, Environment};
use service::http::HttpServer;
use service::telemetry::Telemetry;
use tokio::net::TcpListener;
use worlds::WORLD_PAGES;

use super::configuration::{WorldsCommandSettings, WorldsServiceSettings};
use super::demo;
use super::open::{open_worlds, worlds_error};
use crate::command::stop_signal;
use crate::command::system::{DefaultAccount, ServingFlags, begin_log, http_server};
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
        let telemetry = settings.telemetry.clone().with_default_service_name("worlds");
        let telemetry = Telemetry::new(telemetry, &Environment::system());
        begin_log(self.serving.verbose, &telemetry);
        telemetry.start();
        let identity = settings.identity();
        // Before the store is opened: a port in use is the most common error, and the cheapest to find.
        let listener = self.serving.listen(&settings.http.listen, &identity).await?;
        let (account, location) = self.serving.open(DefaultAccount::Folder).await?;
        let server = http_server(settings.http.clone(), &identity, &account, &telemetry)?;
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
        settings: &WorldsCommandSettings,
        listener: TcpListener,
        server: &HttpServer,
        account: Account,
        location: &str,
    ) -> Result<(), CommandError> {
        let system = open_worlds(account, settings.system.clone()).await?;
        if self.serving.demo {
            demo::fill(&system).await?;
        }
        let router = system.router(server, WORLD_PAGES);
        let stop = stop_signal()?;
        if !self.serving.ready_json {
            for text in demo::tokens(server.identity()) {
                line(text)?;
            }
        }
        let links = demo::links(server.identity());
        self.serving.announce("Worlds", &listener, &links, location)?;
        let stopping = async {
            stop.await;
            server.shutdown().trigger();
        };
        let working = async {
            let worked = system.run(server.shutdown()).await;
            // Without its worker the trees would stay as they are.
            server.shutdown().trigger();
            worked
        };
        let ended = async { tokio::join!(server.serve_at(listener, router), working) };
        tokio::pin!(ended);
        let (served, worked) = tokio::select! {
            both = &mut ended => both,
            // The signal triggers the shutdown; both parts then end by themselves.
            () = stopping => ended.await,
        };
        served.map_err(|error| {
            CommandError::new("serving", error.to_string()).hint("Run it again")
        })?;
        worked.map_err(|error| worlds_error("keeping the trees", &error))
    }
}
