//! The sockets of a server: the API, and on request ports of their own for health probes and the explorer.

use std::net::SocketAddr;

use gateway::Gateway;
use model::ValidationError;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::certificate::TlsSetup;
use crate::error::CommandError;

/// The ports to listen on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ports {
    pub(crate) api: u16,
    /// A second port of the API: the emulators' endpoint of the newer gateway.
    pub(crate) compute: Option<u16>,
    pub(crate) health: Option<u16>,
    pub(crate) explorer: Option<u16>,
}

/// The bound sockets.
#[derive(Debug)]
pub(crate) struct Listeners {
    pub(crate) api: TcpListener,
    pub(crate) compute: Option<TcpListener>,
    pub(crate) health: Option<TcpListener>,
    pub(crate) explorer: Option<TcpListener>,
}

impl Listeners {
    /// Binds every port at the same addresses.
    pub(crate) async fn bind(addresses: &[SocketAddr], ports: Ports) -> Result<Self, CommandError> {
        Ok(Self {
            api: bind(addresses, ports.api, "--port").await?,
            compute: bind_optional(addresses, ports.compute, "/SqlComputePort").await?,
            health: bind_optional(addresses, ports.health, "--health-port").await?,
            explorer: bind_optional(addresses, ports.explorer, "--explorer-port").await?,
        })
    }

    /// Other handles of the same sockets, for a process that changes its role.
    #[cfg(feature = "postgres")]
    pub(crate) fn duplicate(&self) -> Result<Self, CommandError> {
        let optional =
            |listener: &Option<TcpListener>| listener.as_ref().map(duplicate).transpose();
        Ok(Self {
            api: duplicate(&self.api)?,
            compute: optional(&self.compute)?,
            health: optional(&self.health)?,
            explorer: optional(&self.explorer)?,
        })
    }

    /// Another handle of the socket of the API.
    #[cfg(feature = "postgres")]
    pub(crate) fn duplicate_api(&self) -> Result<TcpListener, CommandError> {
        duplicate(&self.api)
    }

    /// Serves all of them until `stop` completes.
    pub(crate) async fn serve(
        self,
        gateway: &Gateway,
        tls: &TlsSetup,
        stop: impl Future<Output = ()>,
    ) -> Result<(), CommandError> {
        let (stopping, stopped) = watch::channel(false);
        let wait = || {
            let mut stopped = stopped.clone();
            // An error means that the sender is gone, and so is the server.
            async move { drop(stopped.wait_for(|is_stopping| *is_stopping).await) }
        };
        let stop = async {
            stop.await;
            let _ = stopping.send(true);
            Ok(())
        };
        let serve_api = async |listener| {
            match &tls.api {
                None => gateway.serve(listener, wait()).await,
                Some(certificate) => gateway.serve_tls(listener, certificate, wait()).await?,
            }
            Ok::<_, ValidationError>(())
        };
        let api = serve_api(self.api);
        let compute = async {
            match self.compute {
                Some(listener) => serve_api(listener).await,
                None => Ok(()),
            }
        };
        let health = async {
            if let Some(listener) = self.health {
                gateway.serve_health(listener, wait()).await;
            }
            Ok(())
        };
        let explorer = async {
            match self.explorer {
                Some(listener) => {
                    gateway.serve_explorer(listener, tls.explorer.as_ref(), wait()).await
                }
                None => Ok(()),
            }
        };
        // The first error ends the others: a server without its API must not look healthy.
        let served = tokio::try_join!(stop, api, compute, health, explorer);
        served.map(|_| ()).map_err(|invalid| {
            CommandError::new("serving HTTPS", invalid.message())
                .hint("Give a certificate and the key that belongs to it")
        })
    }
}

#[cfg(feature = "postgres")]
fn duplicate(listener: &TcpListener) -> Result<TcpListener, CommandError> {
    use std::os::fd::AsFd;
    let copied = listener.as_fd().try_clone_to_owned();
    // It stays in the mode that the runtime needs: both handles share it.
    let copied = copied.and_then(|socket| TcpListener::from_std(socket.into()));
    copied.map_err(|error| {
        CommandError::new("listening", error.to_string()).hint("Raise the limit on open files")
    })
}

async fn bind_optional(
    addresses: &[SocketAddr],
    port: Option<u16>,
    flag: &str,
) -> Result<Option<TcpListener>, CommandError> {
    match port {
        Some(port) => bind(addresses, port, flag).await.map(Some),
        None => Ok(None),
    }
}

async fn bind(
    addresses: &[SocketAddr],
    port: u16,
    flag: &str,
) -> Result<TcpListener, CommandError> {
    let with_port = |address: &SocketAddr| SocketAddr::new(address.ip(), port);
    let addresses: Vec<SocketAddr> = addresses.iter().map(with_port).collect();
    TcpListener::bind(addresses.as_slice()).await.map_err(|error| {
        let names: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        CommandError::new(format!("listening on {}", names.join(", ")), error.to_string())
            .hint(format!("Choose another {flag}, or stop the process that uses this one"))
    })
}
