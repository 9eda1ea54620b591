//! The same interface for callers with client certificates: TLS that requires one, and roles by the names in it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::Next;
use axum::response::Response;
use axum::serve::IncomingStream;
use serde::{Deserialize, Serialize};
use service::http::ShutdownSignal;
use service::identity::CertifiedPeer;
use service::settings::{SettingsSection, SettingsValidator};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig, crypto};
use tokio_rustls::server::TlsStream;

use crate::error::{Error, Result};

use super::router::{OPERATOR_ROLE, TRACKER_ADMIN_ROLE, VIEWER_ROLE};

/// A handshake that takes longer is given up.
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);

/// The settings group `Mtls`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct CertificateSettings {
    /// Address and port of the listener; there is none if it is empty.
    pub listen: String,
    /// The certificates of the server, PEM.
    pub certificate_file: String,
    /// The key of the server, PEM.
    pub key_file: String,
    /// Certificates whose holders may issue client certificates, PEM.
    pub client_ca_file: String,
    /// DNS names in client certificates that have the role `viewer`.
    pub viewers: Vec<String>,
    /// Those that have the role `operator`.
    pub operators: Vec<String>,
    /// Those that have the role `admin`.
    pub admins: Vec<String>,
}

impl SettingsSection for CertificateSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        if self.listen.is_empty() {
            return;
        }
        let is_address = self.listen.parse::<std::net::SocketAddr>().is_ok();
        validator.require("Listen", is_address, "an address with a port, as 127.0.0.1:8443");
        let files = [
            ("CertificateFile", &self.certificate_file),
            ("KeyFile", &self.key_file),
            ("ClientCaFile", &self.client_ca_file),
        ];
        for (name, file) in files {
            validator.require(
                name,
                !file.is_empty(),
                "a listener with certificates needs this file",
            );
        }
    }
}

impl CertificateSettings {
    /// Reads the files.
    ///
    /// # Errors
    /// `Invalid` with the setting whose file cannot be used.
    pub fn acceptor(&self) -> Result<TlsAcceptor> {
        let wrong =
            |name: &str, why: &dyn std::fmt::Display| Error::invalid(format!("Mtls:{name}: {why}"));
        let certificates = |name: &str, file: &str| -> Result<Vec<CertificateDer<'static>>> {
            let found = CertificateDer::pem_file_iter(file).map_err(|error| wrong(name, &error))?;
            let found: std::result::Result<Vec<_>, _> = found.collect();
            let found = found.map_err(|error| wrong(name, &error))?;
            match found.is_empty() {
                true => Err(wrong(name, &format!("{file} has no certificate"))),
                false => Ok(found),
            }
        };
        let own = certificates("CertificateFile", &self.certificate_file)?;
        let key = PrivateKeyDer::from_pem_file(&self.key_file);
        let key = key.map_err(|error| wrong("KeyFile", &error))?;
        let mut roots = RootCertStore::empty();
        for root in certificates("ClientCaFile", &self.client_ca_file)? {
            roots.add(root).map_err(|error| wrong("ClientCaFile", &error))?;
        }
        let provider = Arc::new(crypto::ring::default_provider());
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        let verifier = verifier.build().map_err(|error| wrong("ClientCaFile", &error))?;
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong("CertificateFile", &error))?
            .with_client_cert_verifier(verifier)
            .with_single_cert(own, key)
            .map_err(|error| wrong("CertificateFile", &error))?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    /// Who a certificate with these names is: the first name that has a role.
    fn peer(&self, names: &[String]) -> Option<CertifiedPeer> {
        let roles = [
            (TRACKER_ADMIN_ROLE, &self.admins),
            (OPERATOR_ROLE, &self.operators),
            (VIEWER_ROLE, &self.viewers),
        ];
        roles.iter().find_map(|(role, allowed)| {
            let subject = names.iter().find(|name| allowed.contains(name))?.clone();
            Some(CertifiedPeer { subject, roles: vec![(*role).to_owned()] })
        })
    }
}

/// The names in the certificate of a connection.
#[derive(Clone, Debug)]
struct PeerNames(Vec<String>);

struct CertifiedListener {
    listener: TcpListener,
    acceptor: TlsAcceptor,
    handshakes: JoinSet<Option<TlsStream<TcpStream>>>,
}

impl axum::serve::Listener for CertifiedListener {
    type Io = TlsStream<TcpStream>;
    type Addr = PeerNames;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            // Handshakes run beside each other: one that is slow must not hold up the others.
            tokio::select! {
                accepted = self.listener.accept() => {
                    let Ok((stream, _)) = accepted else {
                        tokio::time::sleep(Duration::from_secs(1)).await;
                        continue;
                    };
                    let acceptor = self.acceptor.clone();
                    self.handshakes.spawn(shake_hands(acceptor, stream));
                }
                ended = self.handshakes.join_next(), if !self.handshakes.is_empty() => {
                    if let Some(Ok(Some(stream))) = ended {
                        let names = names(&stream);
                        return (stream, PeerNames(names));
                    }
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        Ok(PeerNames(Vec::new()))
    }
}

async fn shake_hands(acceptor: TlsAcceptor, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
    tokio::time::timeout(HANDSHAKE_MAX, acceptor.accept(stream)).await.ok()?.ok()
}

fn names(stream: &TlsStream<TcpStream>) -> Vec<String> {
    let certificates = stream.get_ref().1.peer_certificates().unwrap_or_default();
    let Some(first) = certificates.first() else { return Vec::new() };
    match webpki::EndEntityCert::try_from(first) {
        Ok(certificate) => certificate.valid_dns_names().map(str::to_owned).collect(),
        Err(_) => Vec::new(),
    }
}

impl Connected<IncomingStream<'_, CertifiedListener>> for PeerNames {
    fn connect_info(stream: IncomingStream<'_, CertifiedListener>) -> Self {
        stream.remote_addr().clone()
    }
}

/// Serves a router of [`crate::SecretMigration::router`] to callers with client certificates, until the stop signal.
///
/// # Errors
/// Those of the listener.
pub async fn serve_certified(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    settings: CertificateSettings,
    router: Router,
    shutdown: ShutdownSignal,
) -> io::Result<()> {
    let settings = Arc::new(settings);
    let identified = router.layer(axum::middleware::from_fn(
        move |ConnectInfo(PeerNames(names)): ConnectInfo<PeerNames>,
              mut request: Request,
              next: Next| {
            let peer = settings.peer(&names);
            async move {
                if let Some(peer) = peer {
                    request.extensions_mut().insert(peer);
                }
                let response: Response = next.run(request).await;
                response
            }
        },
    ));
    let listener = CertifiedListener { listener, acceptor, handshakes: JoinSet::new() };
    let service = identified.into_make_service_with_connect_info::<PeerNames>();
    axum::serve(listener, service)
        .with_graceful_shutdown(async move { shutdown.triggered().await })
        .await
}
