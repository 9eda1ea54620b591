//! The certificate of `serve --tls`: the user's own, or a generated one.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use gateway::Certificate;

use super::emulator::EmulatorVariables;
use crate::error::CommandError;

/// The flags about TLS.
#[derive(Clone, Debug, Args)]
pub(crate) struct TlsFlags {
    /// Serve HTTPS with a generated certificate, which can be downloaded from /_explorer/emulator.pem
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
    /// Adds the emulators' environment variables where the flags are absent.
    pub(crate) fn with_variables(mut self, variables: &EmulatorVariables) -> Self {
        // A certificate implies TLS, unless the protocol is given.
        let wants_tls = variables.tls.unwrap_or(variables.certificate.is_some());
        self.tls |= wants_tls;
        if self.cert.is_none() && wants_tls {
            // One file contains both.
            self.cert = variables.certificate.clone();
            self.cert_key = variables.certificate.clone();
        }
        self
    }

    /// The certificate to use; `None` without TLS.
    pub(crate) fn certificate(
        &self,
        host: &str,
        addresses: &[SocketAddr],
    ) -> Result<Option<Certificate>, CommandError> {
        let certificate = match (&self.cert, &self.cert_key) {
            (Some(cert), Some(key)) => Certificate::from_pem(&read(cert)?, &read(key)?),
            _ if self.tls => Certificate::generate(&names(host, addresses)),
            _ => return Ok(None),
        };
        certificate.map(Some).map_err(|invalid| {
            CommandError::new("preparing the certificate", invalid.message())
                .hint("Give a certificate and its key in PEM form, or neither")
        })
    }
}

/// All names that clients may use for this server.
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

fn read(file: &Path) -> Result<String, CommandError> {
    let reading = || format!("reading {}", file.display());
    let bytes = std::fs::read(file).map_err(|error| {
        CommandError::new(reading(), error.to_string()).hint("Give a file in PEM form")
    })?;
    String::from_utf8(bytes).map_err(|_| {
        CommandError::new(reading(), "it is not in PEM form").hint(
            "Convert a PFX file with `openssl pkcs12 -in FILE -out cert.pem -nodes` and give the result",
        )
    })
}
