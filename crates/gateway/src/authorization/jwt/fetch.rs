//! Fetching a small document over HTTP: the key set of an issuer.
//!
//! Owns one GET with bounds on time and bytes, without redirects. Keys decide who may enter, so they come over TLS or
//! from this machine.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::header::{ACCEPT, HOST};
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use model::ValidationError;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::key_set::KEY_SET_BYTES_MAX;

/// How long a fetch may take.
const FETCH_MS_MAX: u64 = 10_000;

/// Refuses an address that cannot be fetched from.
pub(crate) fn check(url: &str) -> model::Result<()> {
    Place::of(url).map(drop)
}

/// The body of the document at an address.
pub(crate) async fn get(url: &str) -> model::Result<Bytes> {
    let place = Place::of(url)?;
    let fetched = tokio::time::timeout(Duration::from_millis(FETCH_MS_MAX), place.fetch()).await;
    let why = match fetched {
        Ok(Ok(body)) => return Ok(body),
        Ok(Err(why)) => why,
        Err(_) => format!("no answer in {FETCH_MS_MAX} ms"),
    };
    Err(ValidationError::new(format!("The key set at {url} cannot be fetched: {why}.")))
}

/// An address taken apart.
#[derive(Debug)]
struct Place {
    uri: Uri,
    host: String,
    port: u16,
    is_tls: bool,
}

impl Place {
    fn of(url: &str) -> model::Result<Self> {
        let refused = || {
            ValidationError::new(format!(
                "The address of the key set is '{url}'; give one with https, or with http on this machine."
            ))
        };
        let uri: Uri = url.parse().map_err(|_| refused())?;
        let host = uri.host().ok_or_else(refused)?.trim_matches(['[', ']']).to_owned();
        let is_tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") if matches!(host.as_str(), "localhost" | "127.0.0.1" | "::1") => false,
            _ => return Err(refused()),
        };
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        Ok(Self { uri, host, port, is_tls })
    }

    async fn fetch(&self) -> Result<Bytes, String> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await.map_err(told)?;
        if !self.is_tls {
            return self.ask(stream).await;
        }
        let name = ServerName::try_from(self.host.clone()).map_err(told)?;
        self.ask(connector()?.connect(name, stream).await.map_err(told)?).await
    }

    async fn ask(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    ) -> Result<Bytes, String> {
        let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream));
        let (mut sender, connection) = handshake.await.map_err(told)?;
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        let host = self.uri.authority().map_or("", |authority| authority.as_str());
        let request = Request::get(path).header(HOST, host).header(ACCEPT, "application/json");
        let request = request.body(Empty::<Bytes>::new()).map_err(told)?;
        let exchange = async {
            let answer = sender.send_request(request).await.map_err(told)?;
            if !answer.status().is_success() {
                return Err(format!("the answer is {}", answer.status()));
            }
            let body = Limited::new(answer.into_body(), KEY_SET_BYTES_MAX).collect();
            body.await.map(http_body_util::Collected::to_bytes).map_err(told)
        };
        tokio::pin!(exchange);
        tokio::select! {
            answered = &mut exchange => answered,
            // The connection may be done before what it brought was taken.
            _ = connection => exchange.await,
        }
    }
}

/// TLS that trusts whom the machine trusts.
fn connector() -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err("this machine trusts no certificate; set SSL_CERT_FILE".to_owned());
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(told)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn keys_come_over_tls_or_from_this_machine() {
        for url in ["https://issuer.example/keys", "http://localhost:8/k", "http://[::1]/k"] {
            assert!(check(url).is_ok(), "{url}");
        }
        for url in ["http://issuer.example/keys", "ftp://localhost/k", "keys.json", ""] {
            assert!(check(url).is_err(), "{url}");
        }
    }
}
