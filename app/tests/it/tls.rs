//! `planisphere serve` over TLS with certificates from files, as a client sees it that trusts their issuer only.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::planisphere::{BINARY, Said, planisphere};
use crate::serve::{start_with, terminate, text};

/// The password of the PFX file.
const PASSWORD: &str = "open sesame";

/// A certificate by an authority of the test, in files.
struct Files {
    folder: tempfile::TempDir,
    authority: CertificateDer<'static>,
}

impl Files {
    fn new() -> Self {
        let mut parameters = CertificateParams::default();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().unwrap();
        let authority = parameters.self_signed(&key).unwrap();
        let issuer = Issuer::new(parameters, key);
        let own = KeyPair::generate().unwrap();
        let names = ["localhost".to_owned()];
        let certificate = CertificateParams::new(names).unwrap().signed_by(&own, &issuer).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let files = Self { folder, authority: authority.der().clone() };
        std::fs::write(files.path("authority.pem"), authority.pem()).unwrap();
        std::fs::write(files.path("cert.pem"), certificate.pem()).unwrap();
        std::fs::write(files.path("key.pem"), own.serialize_pem()).unwrap();
        let both = certificate.pem() + &own.serialize_pem();
        std::fs::write(files.path("both.pem"), both).unwrap();
        let other = KeyPair::generate().unwrap().serialize_pem();
        std::fs::write(files.path("other.pem"), other).unwrap();
        std::fs::write(files.path("bundle.pfx"), [0x30, 0x82, 0xFF, 0x00, 0x80]).unwrap();
        let bundle = encrypted(certificate.der(), &own.serialize_der());
        std::fs::write(files.path("encrypted.pfx"), bundle).unwrap();
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The answer to a request, when the certificate of the server is by our authority.
    fn get(&self, endpoint: &str, path: &str) -> Result<String, std::io::Error> {
        let mut roots = RootCertStore::empty();
        roots.add(self.authority.clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        let client = ClientConnection::new(Arc::new(config), name).unwrap();
        let port = endpoint.trim_end_matches('/').rsplit(':').next().unwrap();
        let stream = TcpStream::connect(format!("127.0.0.1:{port}"))?;
        let mut stream = StreamOwned::new(client, stream);
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: localhost:{port}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        // The server may end without a farewell; what it said before counts.
        let _ = stream.read_to_end(&mut answer);
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }
}

/// A PFX file with a certificate and its key.
fn encrypted(certificate: &[u8], key: &[u8]) -> Vec<u8> {
    use p12_keystore::{Certificate, KeyStore, KeyStoreEntry, PrivateKey, PrivateKeyChain};
    let chain = [Certificate::from_der(certificate).unwrap()];
    let chain = PrivateKeyChain::new("1", PrivateKey::from_der(key).unwrap(), chain);
    let mut store = KeyStore::new();
    store.add_entry("server", KeyStoreEntry::PrivateKeyChain(chain));
    store.writer(PASSWORD).write().unwrap()
}

fn word(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_certificate_from_files_is_served_and_offered() {
    let files = Files::new();
    let (cert, key) = (files.path("cert.pem"), files.path("key.pem"));
    let words = ["--memory", "--cert", word(&cert), "--cert-key", word(&key)];
    let (server, ready) = start_with(&words, |_| {});
    let endpoint = text(&ready, "endpoint");
    assert!(endpoint.starts_with("https://"), "{endpoint}");
    let answer = files.get(&endpoint, "/ready").unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let offered = files.get(&endpoint, "/_explorer/emulator.pem").unwrap();
    let pem = std::fs::read_to_string(&cert).unwrap();
    assert!(offered.replace("\r\n", "\n").contains(pem.replace("\r\n", "\n").trim()), "{offered}");
    let stranger = Files::new();
    assert!(stranger.get(&endpoint, "/ready").is_err(), "another authority is not trusted");
    assert_eq!(terminate(server), Some(0));
}

#[test]
fn a_certificate_may_come_from_the_variables_of_the_emulators() {
    let files = Files::new();
    for name in ["CERT_PATH", "AZURE_COSMOS_EMULATOR_CERTIFICATE"] {
        let set = |command: &mut Command| {
            command.env(name, files.path("both.pem"));
        };
        let (server, ready) = start_with(&["--memory"], set);
        let answer = files.get(&text(&ready, "endpoint"), "/alive").unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert_eq!(terminate(server), Some(0));
    }
    let set = |command: &mut Command| {
        command.env("CERT_PATH", files.path("both.pem")).env("PROTOCOL", "http");
    };
    let (server, ready) = start_with(&["--memory"], set);
    assert!(text(&ready, "endpoint").starts_with("http://"));
    assert_eq!(terminate(server), Some(0));
}

#[test]
fn a_report_is_fetched_over_https_from_a_trusted_server() {
    let files = Files::new();
    let set = |command: &mut Command| {
        command.env("CERT_PATH", files.path("both.pem"));
    };
    let (server, ready) = start_with(&["--memory"], set);
    let endpoint = text(&ready, "endpoint");
    let report = |roots: &Path| {
        let mut command = Command::new(BINARY);
        command.args(["report", "--endpoint", &endpoint, "--json"]).env("SSL_CERT_FILE", roots);
        Said::of(&command.output().unwrap())
    };
    let said = report(&files.path("authority.pem")).succeeded();
    assert!(said.out.contains("planisphere-report-1"), "{said:?}");
    let said = report(&files.path("cert.pem"));
    assert!(said.code == 2 && said.err.contains("certificate"), "{said:?}");
    assert_eq!(terminate(server), Some(0));
}

#[test]
fn a_pfx_file_is_decrypted_with_its_password() {
    let files = Files::new();
    let bundle = files.path("encrypted.pfx");
    let (server, ready) = start_with(&["--memory"], |command| {
        command.env("CERT_PATH", &bundle).env("CERT_SECRET", PASSWORD);
    });
    let endpoint = text(&ready, "endpoint");
    let answer = files.get(&endpoint, "/ready").unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let offered = files.get(&endpoint, "/_explorer/emulator.pem").unwrap();
    assert!(offered.contains("BEGIN CERTIFICATE") && !offered.contains("PRIVATE"), "{offered}");
    assert_eq!(terminate(server), Some(0));
    let words = ["serve", "--memory", "--port", "0", "--cert", word(&bundle), "--cert-key"];
    let said = planisphere(words.into_iter().chain([word(&bundle)]));
    assert!(said.code == 2 && said.err.contains("cannot be decrypted"), "{said:?}");
    assert!(said.err.contains("CERT_SECRET"), "{said:?}");
}

#[test]
fn invalid_files_are_reported() {
    let files = Files::new();
    let (cert, other) = (files.path("cert.pem"), files.path("other.pem"));
    let (key, bundle) = (files.path("key.pem"), files.path("bundle.pfx"));
    for (cert, key, reason) in [
        (&cert, &other, "certificate cannot be used"),
        (&key, &key, "no certificate"),
        (&cert, &cert, "no private key"),
        (&bundle, &bundle, "openssl pkcs12"),
    ] {
        let words = ["serve", "--memory", "--port", "0", "--cert", word(cert), "--cert-key"];
        let said = planisphere(words.into_iter().chain([word(key)]));
        assert!(said.code == 2 && said.err.contains(reason), "{reason}: {said:?}");
    }
}
