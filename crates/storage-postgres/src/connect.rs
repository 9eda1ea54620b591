//! How a connection begins: TLS, and the settings of its session.
//!
//! Owns both. The settings travel with the first message, so that they cost no round trip. Does not own pools.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, RecyclingMethod};
use storage::Result;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{CancelToken, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use crate::error::cannot_open;
use crate::location::PostgresLocation;
use crate::settings::{Distribution, PostgresDurability, PostgresSettings};

/// A dead peer is noticed after this time without an answer.
const TCP_TIMEOUT: Duration = Duration::from_secs(10);

/// The driver's configuration of every connection of a store.
pub(crate) fn session_config(location: &PostgresLocation, settings: &PostgresSettings) -> Config {
    let mut config = location.config.clone();
    let mut options = config.get_options().unwrap_or_default().to_owned();
    let timeout_ms = settings.statement_timeout.as_millis();
    // Every statement of ours is a few look-ups in an index, whatever the planner's statistics say of a new table.
    for setting in [
        "search_path=pg_catalog",
        "enable_seqscan=off",
        "enable_bitmapscan=off",
        "enable_hashjoin=off",
        "enable_mergejoin=off",
        "jit=off",
        "bytea_output=hex",
        "default_transaction_isolation=read\\ committed",
    ] {
        let _ = write!(options, " -c {setting}");
    }
    // Citus chooses the worker by the values of the parameters, so that it needs them for its plans.
    if settings.distribution == Distribution::OneServer {
        options.push_str(" -c plan_cache_mode=force_generic_plan");
    }
    let _ = write!(options, " -c statement_timeout={timeout_ms}");
    // A snapshot that nobody ends must not keep old versions for ever.
    let _ = write!(options, " -c idle_in_transaction_session_timeout={}", timeout_ms * 2);
    if settings.durability == PostgresDurability::Relaxed {
        options.push_str(" -c synchronous_commit=off");
    }
    config.options(options.trim());
    config.connect_timeout(settings.connect_timeout);
    config.tcp_user_timeout(TCP_TIMEOUT);
    config.keepalives_idle(TCP_TIMEOUT);
    config
}

/// How connections are protected.
#[derive(Clone)]
pub(crate) enum ConnectionTls {
    /// Not at all: a socket of this machine, or the address says so.
    Plain,
    Rustls(MakeRustlsConnect),
}

impl ConnectionTls {
    /// What opens the connections of a pool.
    pub(crate) fn manager(&self, config: Config) -> Manager {
        let settings = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        match self {
            Self::Plain => Manager::from_config(config, NoTls, settings),
            Self::Rustls(connector) => Manager::from_config(config, connector.clone(), settings),
        }
    }

    /// Asks the server to end the statement of a connection. It may have ended by itself.
    pub(crate) async fn cancel(&self, statement: CancelToken) {
        let _ = match self {
            Self::Plain => statement.cancel_query(NoTls).await,
            Self::Rustls(connector) => statement.cancel_query(connector.clone()).await,
        };
    }
}

/// TLS with the certificates of the address, or those of the system.
pub(crate) fn tls(location: &PostgresLocation) -> Result<ConnectionTls> {
    // A socket of this machine has no name that a certificate could prove.
    let is_remote = location.config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(_)));
    if !is_remote || location.config.get_ssl_mode() == SslMode::Disable {
        return Ok(ConnectionTls::Plain);
    }
    let mut roots = RootCertStore::empty();
    if let Some(file) = &location.root_certificates {
        let refused = |reason: String| {
            cannot_open(location, &format!("the certificates in {} {reason}", file.display()))
        };
        let certificates = CertificateDer::pem_file_iter(file)
            .and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>)
            .map_err(|error| refused(format!("cannot be read: {error}")))?;
        if roots.add_parsable_certificates(certificates).0 == 0 {
            return Err(refused("contain none that is valid".to_owned()));
        }
    } else {
        // What is not readable is not trusted; a server with a certificate of it is refused by name.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    let provider = Arc::new(crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| cannot_open(location, "TLS cannot be set up").with_source(error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(ConnectionTls::Rustls(MakeRustlsConnect::new(config)))
}
