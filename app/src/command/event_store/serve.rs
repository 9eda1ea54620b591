//! Serves the HTTP API and runs the projections, until a signal.

use std::process::ExitCode;

use clap::Args;
use client::{Account, Environment};
use event_store::{PAGES, StoreProvider};
use service::http::HttpServer;
use service::telemetry::Telemetry;
use tokio::net::TcpListener;

use super::configuration::{EventStoreCommandSettings, EventStoreServiceSettings};
use super::demo;
use super::open::{empty_account, open_on};
use crate::command::stop_signal;
use crate::command::system::{DefaultAccount, ServingFlags, begin_log, http_server};
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
        let telemetry = settings.telemetry.clone().with_default_service_name("event-store");
        let telemetry = Telemetry::new(telemetry, &Environment::system());
        begin_log(self.serving.verbose, &telemetry);
        telemetry.start();
        // Before the store is opened: a port in use is the most common error, and the cheapest to find.
        let listener = self.serving.listen(&settings.http.listen, &settings.identity).await?;
        let (account, location) = match settings.event_store.provider {
            StoreProvider::Account => self.serving.open(DefaultAccount::Folder).await?,
            StoreProvider::Postgres => (empty_account().await?, "PostgreSQL".to_owned()),
        };
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
        settings: &EventStoreCommandSettings,
        listener: TcpListener,
        server: &HttpServer,
        account: Account,
        location: &str,
    ) -> Result<(), CommandError> {
        let open = open_on(account, settings.event_store.clone()).await?;
        let system = match settings.event_store.provider {
            StoreProvider::Account => open.system.with_migrations(&open.account),
            StoreProvider::Postgres => open.system,
        };
        if self.serving.demo {
            demo::fill(&system).await?;
        }
        let router = system.router(server, PAGES);
        let stop = stop_signal()?;
        if !self.serving.ready_json {
            for text in demo::tokens(server.identity()) {
                line(text)?;
            }
        }
        let links = demo::links(server.identity());
        self.serving.announce("Event store", &listener, &links, location)?;
        let stopping = async {
            stop.await;
            server.shutdown().trigger();
        };
        let ended = async {
            tokio::join!(server.serve_at(listener, router), system.run(server.shutdown()))
        };
        tokio::pin!(ended);
        let (served, ()) = tokio::select! {
            both = &mut ended => both,
            // The signal triggers the shutdown; both parts then end by themselves.
            () = stopping => ended.await,
        };
        served.map_err(|error| CommandError::new("serving", error.to_string()).hint("Run it again"))
    }
}
