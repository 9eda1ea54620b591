//! Serves the page, the HTTP API and the hub, reminds of unread messages and cleans up presence, until a signal.

use std::process::ExitCode;

use chat::{ChatHub, ChatParts, PAGES};
use clap::Args;
use client::{Account, Environment};
use service::http::HttpServer;
use service::telemetry::Telemetry;
use tokio::net::TcpListener;

use super::configuration::{ChatCommandSettings, ChatDemoSettings, ChatServiceSettings};
use super::open::open_chat;
use super::{demo, mention};
use crate::command::stop_signal;
use crate::command::system::{DefaultAccount, ServingFlags, begin_log, http_server};
use crate::error::CommandError;

/// Serve the page, the HTTP API and the SignalR hub until ctrl-c
#[derive(Debug, Args)]
pub(super) struct ChatServeCommand {
    #[command(flatten)]
    serving: ServingFlags,
}

impl ChatServeCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let settings = self.settings()?;
        let telemetry = settings.telemetry.clone().with_default_service_name("chat");
        let telemetry = Telemetry::new(telemetry, &Environment::system());
        begin_log(self.serving.verbose, &telemetry);
        telemetry.start();
        let identity = settings.identity();
        // Before the store is opened: a port in use is the most common error, and the cheapest to find.
        let listener = self.serving.listen(&settings.http.listen, &identity).await?;
        let cosmos = &settings.chat.cosmos.connection_string;
        let default = if settings.chat.testing.in_memory {
            DefaultAccount::Memory
        } else if cosmos.is_set() {
            DefaultAccount::Connection(cosmos.expose())
        } else {
            DefaultAccount::Folder
        };
        let (account, location) = self.serving.open(default).await?;
        let server = http_server(settings.http.clone(), &identity, &account, &telemetry)?;
        let served = self.serve(&settings, listener, &server, account.clone(), &location).await;
        let closed = account.close().await;
        // Last, so that spans of the shutdown are exported, too.
        telemetry.stop().await;
        served?;
        closed.map_err(|error| CommandError::from_error(format!("closing {location}"), &error))?;
        Ok(ExitCode::SUCCESS)
    }

    fn settings(&self) -> Result<ChatCommandSettings, CommandError> {
        let flags = self.serving.flag_settings();
        if self.serving.demo {
            let loaded = self.serving.settings.load::<ChatDemoSettings>(&flags)?.value.0;
            return Ok(demo::settings(loaded));
        }
        Ok(self.serving.settings.load::<ChatServiceSettings>(&flags)?.value.0)
    }

    async fn serve(
        &self,
        settings: &ChatCommandSettings,
        listener: TcpListener,
        server: &HttpServer,
        account: Account,
        location: &str,
    ) -> Result<(), CommandError> {
        let mentions = mention::receiver(&settings.chat, &account).await?;
        let parts = ChatParts { mentions, ..ChatParts::default() };
        let chat = open_chat(account, settings.chat.clone(), parts).await?;
        // A database that cannot be seeded may still be used.
        if let Err(error) = chat.seed().await {
            tracing::warn!(%error, "the default rooms and users could not be added");
        }
        let hub = ChatHub::new(&chat, server);
        if self.serving.demo {
            demo::send_messages(&chat).await?;
        }
        let router = chat.router(server, PAGES).merge(hub.routes());
        let stop = stop_signal()?;
        let links = demo::links(server.identity());
        self.serving.announce("Chat", &listener, &links, location)?;
        let stopping = async {
            stop.await;
            // First the connections, which never end by themselves.
            hub.shut_down().await;
            server.shutdown().trigger();
        };
        let working = chat.run(server.shutdown());
        let ended = async { tokio::join!(server.serve_at(listener, router), working) };
        tokio::pin!(ended);
        let (served, ()) = tokio::select! {
            both = &mut ended => both,
            // The signal triggers the shutdown; both parts then end by themselves.
            () = stopping => ended.await,
        };
        served.map_err(|error| CommandError::new("serving", error.to_string()).hint("Run it again"))
    }
}
