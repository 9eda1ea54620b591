//! Serves the HTTP API and the web page, and processes events, until a signal.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use client::{Account, Environment};
use notifications::PAGES;
use notifications::delivery::Delivery;
use service::http::HttpServer;
use service::telemetry::Telemetry;
use tokio::net::TcpListener;

use super::configuration::{AllSettings, ServiceSettings};
use super::demo::{self, DemoProviders};
use super::open::{open_system, providers, system_error};
use crate::command::stop_signal;
use crate::command::system::{DefaultAccount, ServingFlags, begin_log, http_server};
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
        let telemetry = settings.telemetry.clone().with_default_service_name("notifications");
        let telemetry = Telemetry::new(telemetry, &Environment::system());
        begin_log(self.serving.verbose, &telemetry);
        telemetry.start();
        // Before the store is opened: a port in use is the most common error, and the cheapest to find.
        let listener = self.serving.listen(&settings.http.listen, &settings.identity).await?;
        let (account, location) = self.serving.open(DefaultAccount::Folder).await?;
        let demo = if self.serving.demo { Some(DemoProviders::start().await?) } else { None };
        let server = http_server(settings.http.clone(), &settings.identity, &account, &telemetry)?;
        let served =
            self.serve(&settings, listener, &server, account.clone(), &location, demo.as_ref());
        let served = served.await;
        let closed = account.close().await;
        // Last, so that spans of the shutdown are exported, too.
        telemetry.stop().await;
        served?;
        closed.map_err(|error| CommandError::from_error(format!("closing {location}"), &error))?;
        Ok(ExitCode::SUCCESS)
    }

    async fn serve(
        &self,
        settings: &AllSettings,
        listener: TcpListener,
        server: &HttpServer,
        account: Account,
        location: &str,
        demo: Option<&DemoProviders>,
    ) -> Result<(), CommandError> {
        let delivery: Arc<dyn Delivery> = match demo {
            Some(demo) => providers(&demo.settings(settings))?,
            None => providers(settings)?,
        };
        let system = open_system(account, settings, delivery).await?;
        if demo.is_some() {
            demo::seed(&system).await?;
        }
        let router = system.router(server, PAGES);
        let stop = stop_signal()?;
        let links = demo::links(server.identity());
        self.serving.announce("Notifications", &listener, &links, location)?;
        let stopping = async {
            stop.await;
            server.shutdown().trigger();
        };
        let working = async {
            let worked = system.run(server.shutdown()).await;
            // Without its worker the service would accept events and never deliver them.
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
        worked.map_err(|error| system_error("processing events", &error))
    }
}
