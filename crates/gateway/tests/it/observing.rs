//! Health, metrics, certificates and TLS.

use std::sync::Arc;

use gateway::{Certificate, Gateway, GatewaySettings};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::client::Server;

#[tokio::test]
async fn health_needs_no_signature() {
    let server = Server::start().await;
    for path in ["/alive", "/ready", "/status"] {
        server.get(path).unsigned().send().await.expect(200);
    }
    server.post("/ready", "").unsigned().send().await.expect(401);
    server.get("/_explorer/emulator.pem").unsigned().send().await.refused_without_activity(404);
}

#[tokio::test]
async fn requests_are_counted() {
    let server = Server::start().await;
    server.get("/dbs").send().await.expect(200);
    server.get("/dbs/x").send().await.expect(404);
    let text = server.get("/metrics").unsigned().send().await.expect(200).text();
    assert!(text.contains("planisphere_requests_total{status=\"200\"} 1\n"), "{text}");
    assert!(text.contains("planisphere_requests_total{status=\"404\"} 1\n"), "{text}");
    assert!(text.contains("planisphere_request_duration_microseconds_count 2\n"), "{text}");
}

#[tokio::test]
async fn tls_is_served_with_a_certificate_that_can_be_trusted() {
    let engine = engine::Engine::in_memory().await.unwrap();
    let gateway = Gateway::new(engine, GatewaySettings::default());
    let certificate = Certificate::generate(&["localhost".to_owned()]).unwrap();
    let pem = certificate.pem().to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let served = gateway.serve_tls(listener, &certificate, std::future::pending());
        served.await.unwrap();
    });
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let connector = TlsConnector::from(Arc::new(config));
    let stream = TcpStream::connect(address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let stream = connector.connect(name, stream).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
}

#[test]
fn invalid_pem_files_are_refused() {
    let made = Certificate::generate(&["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    assert!(made.pem().starts_with("-----BEGIN CERTIFICATE-----"));
    assert!(Certificate::from_pem("x", "y").is_err());
    assert!(Certificate::from_pem(made.pem(), "y").is_err());
}
