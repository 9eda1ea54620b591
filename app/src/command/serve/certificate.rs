//! The certificate of `serve --tls`: the user's own, or one made for what it listens on.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use gateway::Certificate;

use super::emulator::Wishes;
use crate::failure::Failure;

/// The flags about TLS.
#[derive(Clone, Debug, Args)]
pub(crate) struct TlsFlags {
    /// Serve HTTPS, with a certificate made for the occasion and offered at /_explorer/emulator.pem
    #[arg(long)]
    pub(crate) tls: bool,

    /// Certificate in PEM form to serve HTTPS with
    #[arg(long, value_name = "FILE", requires = "cert_key")]
    cert: Option<PathBuf>,

    /// Private key of the certificate in PEM form
    #[arg(long, value_name = "FILE", requires = "cert")]
    cert_key: Option<PathBuf>,
}

impl TlsFlags {
    /// The flags, with what the environment wishes where they say nothing.
    pub(crate) fn or(mut self, wishes: &Wishes) -> Self {
        // A certificate is a wish for TLS, unless the protocol says otherwise.
        let is_wished = wishes.tls.unwrap_or(wishes.certificate.is_some());
        self.tls |= is_wished;
        if self.cert.is_none() && is_wished {
            // One file holds both.
            self.cert = wishes.certificate.clone();
            self.cert_key = wishes.certificate.clone();
        }
        self
    }

    /// The certificate to serve with; none without TLS.
    pub(crate) fn certificate(
        &self,
        host: &str,
        addresses: &[SocketAddr],
    ) -> Result<Option<Certificate>, Failure> {
        let made = match (&self.cert, &self.cert_key) {
            (Some(cert), Some(key)) => Certificate::from_pem(&read(cert)?, &read(key)?),
            _ if self.tls => Certificate::generate(&names(host, addresses)),
            _ => return Ok(None),
        };
        made.map(Some).map_err(|invalid| {
            Failure::new("preparing the certificate", invalid.message())
                .way_out("Give a certificate and its key in PEM form, or neither")
        })
    }
}

/// Everything a client may call this server.
fn names(host: &str, addresses: &[SocketAddr]) -> Vec<String> {
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    let listened = addresses.iter().map(|address| address.ip());
    let listened = listened.filter(|address| !address.is_unspecified());
    names.extend(listened.map(|address| address.to_string()));
    if host.parse::<std::net::IpAddr>().is_err() {
        names.push(host.to_owned());
    }
    names.sort();
    names.dedup();
    names
}

fn read(file: &Path) -> Result<String, Failure> {
    let reading = || format!("reading {}", file.display());
    let bytes = std::fs::read(file).map_err(|error| {
        Failure::new(reading(), error.to_string()).way_out("Give a file in PEM form")
    })?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::new(reading(), "it is not in PEM form").way_out(
            "Turn a PFX file into one with `openssl pkcs12 -in FILE -out cert.pem -nodes`, and give that",
        )
    })
}
