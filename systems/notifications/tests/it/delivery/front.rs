//! A TLS proxy in front of a fake, with certificates of an authority made for the test.
//!
//! Owns the handshake, at once or after STARTTLS. Forwards all bytes to the fake unchanged.

use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// A certificate authority that is trusted only through its file.
pub(super) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: TempDir,
}

/// The content of a certificate.
#[derive(Clone, Copy)]
pub(super) struct Paper {
    pub(super) name: &'static str,
    pub(super) is_expired: bool,
}

impl Paper {
    pub(super) const RIGHT: Self = Self { name: "localhost", is_expired: false };
}

impl Authority {
    pub(super) fn new() -> Self {
        let mut parameters = CertificateParams::new(Vec::new()).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.distinguished_name.push(DnType::CommonName, "authority of a test");
        let key = KeyPair::generate().unwrap();
        let issuer = CertifiedIssuer::self_signed(parameters, key).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), issuer.pem()).unwrap();
        Self { issuer, folder }
    }

    /// The file for the setting.
    pub(super) fn ca_file(&self) -> String {
        self.folder.path().join("ca.pem").to_str().unwrap().to_owned()
    }

    fn acceptor(&self, paper: Paper, protocols: &[&str]) -> TlsAcceptor {
        let mut parameters = CertificateParams::new(vec![paper.name.to_owned()]).unwrap();
        if paper.is_expired {
            parameters.not_before = rcgen::date_time_ymd(2020, 1, 1);
            parameters.not_after = rcgen::date_time_ymd(2021, 1, 1);
        }
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let mut config = config
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }
}

/// When the TLS handshake takes place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Begin {
    AtOnce,
    /// After STARTTLS.
    StartTls,
}

/// A TLS proxy for a local port; it stops when it is dropped.
pub(super) struct Front {
    pub(super) port: u16,
    seen: Arc<Mutex<Seen>>,
    accepting: AbortHandle,
}

#[derive(Default)]
struct Seen {
    /// The negotiated protocol of each completed handshake.
    protocols: Vec<String>,
    /// What was sent in plain text.
    plain: Vec<String>,
}

impl Front {
    pub(super) async fn start(
        authority: &Authority,
        paper: Paper,
        protocols: &[&str],
        begin: Begin,
        behind: u16,
    ) -> Self {
        let acceptor = authority.acceptor(paper, protocols);
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let recorded = Arc::clone(&seen);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let door =
                    Door { acceptor: acceptor.clone(), seen: Arc::clone(&recorded), begin, behind };
                // A client that does not like the certificate ends the connection, which is what is tested.
                tokio::spawn(async move { door.serve(stream).await.ok() });
            }
        });
        Self { port, seen, accepting: accepting.abort_handle() }
    }

    pub(super) fn url(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    pub(super) fn protocols(&self) -> Vec<String> {
        self.seen.lock().unwrap().protocols.clone()
    }

    pub(super) fn plain(&self) -> Vec<String> {
        self.seen.lock().unwrap().plain.clone()
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

struct Door {
    acceptor: TlsAcceptor,
    seen: Arc<Mutex<Seen>>,
    begin: Begin,
    behind: u16,
}

impl Door {
    async fn serve(self, mut stream: TcpStream) -> std::io::Result<()> {
        if self.begin == Begin::StartTls {
            self.speak(&mut stream).await?;
        }
        let mut inside = self.acceptor.accept(stream).await?;
        let protocol = inside.get_ref().1.alpn_protocol().unwrap_or_default().to_vec();
        self.seen.lock().unwrap().protocols.push(String::from_utf8(protocol).unwrap());
        let mut behind = TcpStream::connect(("127.0.0.1", self.behind)).await?;
        if self.begin == Begin::StartTls {
            // The greeting was said in the open already.
            while behind.read_u8().await? != b'\n' {}
        }
        tokio::io::copy_bidirectional(&mut inside, &mut behind).await?;
        Ok(())
    }

    /// The conversation up to TLS.
    async fn speak(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        let mut stream = BufReader::new(stream);
        stream.write_all(b"220 front ready\r\n").await?;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let verb = line.split_whitespace().next().unwrap_or_default().to_owned();
            self.seen.lock().unwrap().plain.push(verb.clone());
            match verb.as_str() {
                "EHLO" => stream.write_all(b"250-front\r\n250 STARTTLS\r\n").await?,
                "STARTTLS" => return stream.write_all(b"220 go ahead\r\n").await,
                _ => stream.write_all(b"530 5.7.0 STARTTLS first\r\n").await?,
            }
        }
    }
}
