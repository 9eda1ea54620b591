//! Serving from a store that other processes use as well.
//!
//! Owns the change of roles. One process has the lease of the store and serves from its engine; the others forward
//! connections to it, byte by byte, so that every process answers like the owner. When the owner ends, or is not heard
//! of for the length of its lease, one of the others takes over. Does not own the lease: see `storage-postgres`.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use gateway::{Gateway, GatewaySettings};
use storage_postgres::{PostgresLocation, PostgresStore, StoreOwner};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::certificate::TlsSetup;
use super::listeners::Listeners;
use crate::database::{DatabaseSession, StoreRole, open_or_follow};
use crate::error::CommandError;
use crate::open::StoreFlags;
use crate::output::warn;

/// How often a follower asks who has the lease.
const ASK_EVERY: Duration = Duration::from_millis(250);
/// A client waits so often, and so long, for an owner that accepts its connection.
const CONNECT_TRIES: u32 = 60;
const CONNECT_EVERY: Duration = Duration::from_millis(100);

/// A process on a shared store.
pub(super) struct SharedServer<'serve> {
    pub(super) location: PostgresLocation,
    pub(super) flags: &'serve StoreFlags,
    pub(super) account: engine::EngineSettings,
    pub(super) settings: GatewaySettings,
    pub(super) tls: &'serve TlsSetup,
    pub(super) listeners: Listeners,
    /// Where other processes reach this one.
    pub(super) address: String,
}

impl SharedServer<'_> {
    /// Serves in whatever role until `stop` completes. `announce` is called once, as soon as requests are served, with
    /// the token of the explorer if this process has one.
    pub(super) async fn serve(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
        announce: impl Fn(Option<&str>) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        let (stopping, stopped) = watch::channel(false);
        tokio::spawn(async move {
            stop.await;
            let _ = stopping.send(true);
        });
        let mut is_announced = false;
        while !*stopped.borrow() {
            let role = self.role(is_announced).await?;
            match role {
                None => tokio::time::sleep(ASK_EVERY).await,
                Some(StoreRole::Follower(owner)) => {
                    if !is_announced {
                        announce(None)?;
                    }
                    is_announced = true;
                    self.follow(owner, stopped.clone()).await?;
                }
                Some(StoreRole::Owner(session)) => {
                    let gateway = Gateway::new(session.engine.clone(), self.settings.clone());
                    if !is_announced {
                        let token =
                            self.settings.explorer.as_ref().map(|_| gateway.explorer_token());
                        announce(token)?;
                    }
                    is_announced = true;
                    self.own(session, gateway, stopped.clone()).await?;
                }
            }
        }
        Ok(())
    }

    /// The role of this process now; `None` if a running server cannot find out and should ask again.
    async fn role(&self, is_serving: bool) -> Result<Option<StoreRole>, CommandError> {
        let account = self.account.clone();
        let role = open_or_follow(&self.location, self.flags, self.address.clone(), account).await;
        match role {
            Ok(role) => Ok(Some(role)),
            // At the start an error is the operator's; later the database may come back.
            Err(error) if !is_serving => Err(error),
            Err(error) => {
                warn(&error.to_string());
                Ok(None)
            }
        }
    }

    /// Serves from the engine until the process is stopped or loses its lease.
    async fn own(
        &self,
        session: DatabaseSession,
        gateway: Gateway,
        mut stopped: watch::Receiver<bool>,
    ) -> Result<(), CommandError> {
        let DatabaseSession { store, engine } = session;
        let lost = Arc::clone(&store);
        let end = async move {
            tokio::select! {
                _ = stopped.wait_for(|is_stopped| *is_stopped) => {}
                () = lost.lease_lost() => warn("another process has taken the lease of the store; forwarding to it"),
            }
        };
        let listeners = self.listeners.duplicate()?;
        listeners.serve(&gateway, self.tls, end).await?;
        drop(gateway);
        // Without the lease nothing can be made durable, and nothing needs to be: what was acknowledged is in the
        // database.
        let closed = engine.close().await;
        if store.has_lost_lease() {
            return Ok(());
        }
        closed.map_err(|error| CommandError::from_error("closing the store", &error))
    }

    /// Forwards connections until the owner's lease is over or the process is stopped.
    async fn follow(
        &self,
        owner: StoreOwner,
        mut stopped: watch::Receiver<bool>,
    ) -> Result<(), CommandError> {
        let (known, addresses) = watch::channel(owner.address);
        let listener = self.listeners.duplicate_api()?;
        let watching = async {
            loop {
                tokio::time::sleep(ASK_EVERY).await;
                match PostgresStore::owner(&self.location).await {
                    Ok(Some(owner)) => {
                        known.send_replace(owner.address);
                    }
                    // Free: this process tries to take it.
                    Ok(None) => return,
                    // The database does not answer; the owner may still serve what it can.
                    Err(_) => {}
                }
            }
        };
        tokio::select! {
            _ = stopped.wait_for(|is_stopped| *is_stopped) => {}
            () = watching => {}
            () = accept(listener, addresses) => {}
        }
        Ok(())
    }
}

/// Accepts connections for ever and forwards each. When this ends, so do they: the owner may have been stopped, and
/// their clients would wait for it.
async fn accept(listener: TcpListener, addresses: watch::Receiver<String>) {
    let mut forwarded = JoinSet::new();
    loop {
        while forwarded.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((client, _)) => {
                forwarded.spawn(forward(client, addresses.clone()));
            }
            // Usually the process is out of file descriptors.
            Err(_) => tokio::time::sleep(CONNECT_EVERY).await,
        }
    }
}

/// Connects a client with the owner, whoever that is by then.
async fn forward(mut client: TcpStream, addresses: watch::Receiver<String>) {
    for _ in 0..CONNECT_TRIES {
        let address = addresses.borrow().clone();
        if let Ok(mut owner) = TcpStream::connect(&address).await {
            let _ = client.set_nodelay(true);
            let _ = owner.set_nodelay(true);
            // An error of one side ends both; the client repeats its request as after any lost connection.
            let _ = copy_bidirectional(&mut client, &mut owner).await;
            return;
        }
        tokio::time::sleep(CONNECT_EVERY).await;
    }
}

/// The address at which other processes reach a listener.
pub(super) fn forward_address(given: Option<&str>, listened: Option<SocketAddr>) -> String {
    match given {
        Some(given) => given.to_owned(),
        None => listened.map(|address| address.to_string()).unwrap_or_default(),
    }
}
