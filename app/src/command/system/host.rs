//! What every `serve` does around its system: the log, the listener, the account, the HTTP server, and the end by a
//! signal.
//!
//! Does not own flags (`serving`), routes or background work.

use std::io;
use std::process::ExitCode;

use client::{Account, Environment};
use service::http::{HttpServer, HttpSettings};
use service::identity::{Identity, IdentitySettings};
use service::telemetry::{Telemetry, TelemetrySettings};
use tokio::net::TcpListener;

use super::service_log;
use super::serving::ServingFlags;
use crate::command::stop_signal;
use crate::error::CommandError;

/// The settings that a host needs of any system.
pub(crate) struct HostSettings<'settings> {
    /// The name of the service in telemetry, unless the settings have one.
    pub(crate) service_name: &'static str,
    pub(crate) telemetry: &'settings TelemetrySettings,
    pub(crate) http: &'settings HttpSettings,
    pub(crate) identity: &'settings IdentitySettings,
}

/// A service before and after its system: what was started for it, and what is closed behind it.
pub(crate) struct ServiceHost {
    pub(crate) account: Account,
    pub(crate) server: HttpServer,
    location: String,
    telemetry: Telemetry,
}

/// What is announced of a system.
pub(crate) struct ServedSystem<'system> {
    pub(crate) title: &'static str,
    pub(crate) links: &'system [(String, String)],
}

impl ServiceHost {
    /// Starts the log and the listener, then opens the account, which is returned by `opening` with its name.
    pub(crate) async fn start(
        flags: &ServingFlags,
        settings: HostSettings<'_>,
        opening: impl Future<Output = Result<(Account, String), CommandError>>,
    ) -> Result<(Self, TcpListener), CommandError> {
        let HostSettings { service_name, telemetry, http, identity } = settings;
        let telemetry = telemetry.clone().with_default_service_name(service_name);
        let telemetry = Telemetry::new(telemetry, &Environment::system());
        service_log::begin(flags.verbose, &telemetry);
        telemetry.start();
        // Before the store is opened: a port in use is the most common error, and the cheapest to find.
        let listener = flags.listen(&http.listen, identity).await?;
        let (account, location) = opening.await?;
        let server = http_server(http.clone(), identity, &account, &telemetry)?;
        Ok((Self { account, server, location, telemetry }, listener))
    }

    /// Announces the system and serves it beside its work until a signal, or until the work has ended: without it, a
    /// service would accept what nobody acts on. `serving` serves the routes; `before_stop` comes after the signal and
    /// before the shutdown.
    pub(crate) async fn serve<T>(
        &self,
        flags: &ServingFlags,
        listener: TcpListener,
        system: ServedSystem<'_>,
        serving: impl AsyncFnOnce(TcpListener) -> io::Result<()>,
        work: impl Future<Output = T>,
        before_stop: impl Future<Output = ()>,
    ) -> Result<T, CommandError> {
        let server = &self.server;
        // Before the announcement: whoever reads it may send the signal at once.
        let stop = stop_signal()?;
        flags.announce(system.title, &listener, system.links, &self.location)?;
        let stopping = async {
            stop.await;
            before_stop.await;
            server.shutdown().trigger();
        };
        let working = async {
            let worked = work.await;
            server.shutdown().trigger();
            worked
        };
        let ended = async { tokio::join!(serving(listener), working) };
        tokio::pin!(ended);
        let (served, worked) = tokio::select! {
            both = &mut ended => both,
            // The signal triggers the shutdown; both parts then end by themselves.
            () = stopping => ended.await,
        };
        served.map_err(|error| {
            CommandError::new("serving", error.to_string()).hint("Run it again")
        })?;
        Ok(worked)
    }

    /// Closes the account, whether or not serving succeeded.
    pub(crate) async fn close(
        self,
        served: Result<(), CommandError>,
    ) -> Result<ExitCode, CommandError> {
        let Self { account, location, telemetry, .. } = self;
        let closed = account.close().await;
        // Last, so that spans of the shutdown are exported, too.
        telemetry.stop().await;
        served?;
        closed.map_err(|error| CommandError::from_error(format!("closing {location}"), &error))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The HTTP server around the routes; its metrics include the totals of data calls.
fn http_server(
    http: HttpSettings,
    identity: &IdentitySettings,
    account: &Account,
    telemetry: &Telemetry,
) -> Result<HttpServer, CommandError> {
    let environment = account.environment().clone();
    let identity = Identity::new(environment.clone(), identity)
        .map_err(|why| CommandError::new("reading the identity settings", why))?;
    let server = HttpServer::new(environment, http, identity);
    server.metrics().add_collector(telemetry.collector());
    Ok(server)
}
