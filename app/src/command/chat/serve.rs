//! Serves the page, the HTTP API and the hub, reminds of unread messages and cleans up presence, until a signal.

use std::process::ExitCode;

use chat::{ChatHub, ChatParts, PAGES};
use clap::Args;
use tokio::net::TcpListener;

use super::configuration::{ChatCommandSettings, ChatDemoSettings, ChatServiceSettings};
use super::open::open_chat;
use super::{demo, mention};
use crate::command::system::{
    DefaultAccount, HostSettings, ServedSystem, ServiceHost, ServingFlags,
};
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
        let cosmos = &settings.chat.cosmos.connection_string;
        let default = if settings.chat.testing.in_memory {
            DefaultAccount::Memory
        } else if cosmos.is_set() {
            DefaultAccount::Connection(cosmos.expose())
        } else {
            DefaultAccount::Folder
        };
        let identity = settings.identity();
        let host = HostSettings {
            service_name: "chat",
            telemetry: &settings.telemetry,
            http: &settings.http,
            identity: &identity,
        };
        let opening = self.serving.open(default);
        let (host, listener) = ServiceHost::start(&self.serving, host, opening).await?;
        let served = self.serve(&settings, &host, listener).await;
        host.close(served).await
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
        host: &ServiceHost,
        listener: TcpListener,
    ) -> Result<(), CommandError> {
        let (account, server) = (host.account.clone(), &host.server);
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
        let links = demo::links(server.identity());
        let served = ServedSystem { title: "Chat", links: &links };
        let serving = async |listener| server.serve_at(listener, router).await;
        let working = chat.run(server.shutdown());
        let stopping = async {
            // The connections never end by themselves.
            hub.shut_down().await;
        };
        host.serve(&self.serving, listener, served, serving, working, stopping).await
    }
}
