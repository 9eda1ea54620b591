//! TLS: builds the acceptor of a certificate.
//!
//! Owns which protocols are offered. Does not own certificates.

use std::sync::Arc;

use model::ValidationError;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;

use super::certificate::Certificate;

/// Builds an acceptor that offers HTTP/2 and HTTP/1.1.
pub(super) fn build_acceptor(certificate: &Certificate) -> model::Result<TlsAcceptor> {
    let refused = |error: tokio_rustls::rustls::Error| {
        ValidationError::new(format!("The certificate cannot be used: {error}."))
    };
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(refused)?
        .with_no_client_auth()
        .with_single_cert(certificate.chain.clone(), certificate.key.clone_key())
        .map_err(refused)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
