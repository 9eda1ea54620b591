//! The certificate of `serve --tls`: the user's own, or a generated one that is kept in the data folder.
//!
//! Kept, so that a client that trusts it still does after a restart.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use gateway::Certificate;

use super::pfx;
use crate::command::serve::emulator::EmulatorVariables;
use crate::error::CommandError;
use crate::output::warn;
use crate::private_file;

/// The file in the data folder.
const FILE: &str = "certificate.pem";
/// The folder of the certificate in the image of the older emulator.
const EMULATOR_FOLDER: &str =
    "/tmp/cosmos/appdata/.system/profiles/Client/AppData/Local/CosmosDBEmulator";
/// Begins the line above the certificate that lists its names, so that no X.509 parser is needed to compare them.
const NAMES: &str = "Certificate of planisphere for: ";

/// The flags about TLS.
#[derive(Clone, Debug, Args)]
pub(crate) struct TlsFlags {
    /// Serve HTTPS with a generated certificate, which is kept in the data folder and can be downloaded from
    /// /_explorer/emulator.pem
    #[arg(long)]
    tls: bool,

    /// Certificate to serve HTTPS with, in PEM form; a PFX file is given here and as the key, its password as
    /// CERT_SECRET
    #[arg(long, value_name = "FILE", requires = "cert_key")]
    cert: Option<PathBuf>,

    /// Private key of the certificate in PEM form
    #[arg(long, value_name = "FILE", requires = "cert")]
    cert_key: Option<PathBuf>,

    /// Whether only the explorer's own port uses TLS.
    #[arg(skip)]
    explorer_tls: Option<bool>,

    /// The password of a PFX file.
    #[arg(skip)]
    secret: Option<String>,
}

/// The certificate, and which ports use it.
#[derive(Debug)]
pub(crate) struct TlsSetup {
    pub(crate) api: Option<Certificate>,
    pub(crate) explorer: Option<Certificate>,
}

impl TlsSetup {
    /// Writes the certificate where the image of the older emulator has it, if somebody has made that folder: one
    /// module of Testcontainers copies it from there.
    pub(crate) fn publish_as_emulator(&self) {
        let folder = Path::new(EMULATOR_FOLDER);
        let Some(certificate) = self.api.as_ref().filter(|_| folder.is_dir()) else { return };
        let file = folder.join("emulator.pem");
        if let Err(error) = std::fs::write(&file, certificate.pem()) {
            warn(&format!("the certificate was not written to {}: {error}", file.display()));
        }
    }
}

/// What a generated certificate must be valid for, and where it is kept.
#[derive(Debug)]
pub(crate) struct CertificatePlace {
    /// The data folder; `None` in memory.
    pub(crate) folder: Option<PathBuf>,
    /// Host names and addresses.
    pub(crate) names: Vec<String>,
}

impl TlsFlags {
    /// Adds the emulators' environment variables where the flags are absent.
    pub(crate) fn with_variables(mut self, variables: &EmulatorVariables) -> Self {
        // A certificate implies TLS, unless the protocol is given.
        let wants_tls = variables.tls.unwrap_or(variables.certificate.is_some());
        self.tls |= wants_tls;
        if self.cert.is_none() && (wants_tls || variables.explorer_tls == Some(true)) {
            // One file contains both.
            self.cert = variables.certificate.clone();
            self.cert_key = variables.certificate.clone();
        }
        self.explorer_tls = variables.explorer_tls;
        self.secret = variables.certificate_secret.clone();
        self
    }

    /// Whether the certificate is one that the user gave.
    pub(crate) fn has_own_certificate(&self) -> bool {
        self.cert.is_some()
    }

    /// Whether the API is served over TLS.
    pub(crate) fn is_enabled(&self) -> bool {
        self.tls || (self.cert.is_some() && self.explorer_tls != Some(true))
    }

    /// The certificates of the ports; without TLS none.
    pub(crate) fn setup(&self, place: &CertificatePlace) -> Result<TlsSetup, CommandError> {
        let load = |wanted: bool| wanted.then(|| self.certificate(place)).transpose();
        let api = load(self.is_enabled())?;
        // Read again from the same files: a certificate with its key is not cloned.
        let explorer = load(self.explorer_tls.unwrap_or(self.is_enabled()))?;
        Ok(TlsSetup { api, explorer })
    }

    fn certificate(&self, place: &CertificatePlace) -> Result<Certificate, CommandError> {
        let (Some(cert), Some(key)) = (&self.cert, &self.cert_key) else {
            return kept_or_generated(place);
        };
        let chain = read(cert)?;
        if cert == key && pfx::is_pfx(&chain) {
            return pfx::certificate(cert, &chain, self.secret.as_deref().unwrap_or_default());
        }
        let certificate = Certificate::from_pem(&text(cert, chain)?, &text(key, read(key)?)?);
        certificate.map_err(|invalid| unusable(&invalid))
    }
}

fn unusable(invalid: &model::ValidationError) -> CommandError {
    CommandError::new("preparing the certificate", invalid.message())
        .hint("Give a certificate and its key in PEM form, or neither")
}

/// The certificate in the data folder if it has all names; otherwise a new one, which replaces it.
fn kept_or_generated(place: &CertificatePlace) -> Result<Certificate, CommandError> {
    let file = place.folder.as_ref().map(|folder| folder.join(FILE));
    let line = format!("{NAMES}{}", place.names.join(" "));
    if let Some(text) = file.as_ref().and_then(|file| std::fs::read_to_string(file).ok()) {
        let is_current = text.lines().next() == Some(line.as_str());
        let kept = is_current.then(|| Certificate::from_pem(&text, &text)).transpose();
        // Unreadable or with other names: a new one is generated, and clients have to trust that.
        if let Ok(Some(kept)) = kept {
            return Ok(kept);
        }
    }
    let generated = Certificate::generate(&place.names).map_err(|invalid| unusable(&invalid))?;
    if let (Some(file), Some(pem)) = (file, generated.pem_with_key()) {
        let written = private_file::replace(&file, format!("{line}\n{pem}").as_bytes());
        if let Err(error) = written {
            warn(&format!("the certificate was not kept in {}: {error}", file.display()));
        }
    }
    Ok(generated)
}

/// All names that clients may use for this server, sorted. `others` are host names besides those of this machine.
pub(crate) fn certificate_names<'a>(
    addresses: &[SocketAddr],
    others: impl IntoIterator<Item = &'a str>,
) -> Vec<String> {
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    let listened = addresses.iter().map(|address| address.ip());
    let listened = listened.filter(|address| !address.is_unspecified());
    names.extend(listened.map(|address| address.to_string()));
    let others = others.into_iter().map(|name| name.trim_matches(['[', ']']));
    let is_name = |name: &&str| {
        let is_any = name.parse::<std::net::IpAddr>().is_ok_and(|any| any.is_unspecified());
        !name.is_empty() && *name != "*" && !is_any
    };
    names.extend(others.filter(is_name).map(str::to_owned));
    names.sort();
    names.dedup();
    names
}

fn read(file: &Path) -> Result<Vec<u8>, CommandError> {
    std::fs::read(file).map_err(|error| {
        CommandError::new(format!("reading {}", file.display()), error.to_string())
            .hint("Give a file in PEM form")
    })
}

fn text(file: &Path, bytes: Vec<u8>) -> Result<String, CommandError> {
    String::from_utf8(bytes).map_err(|_| {
        CommandError::new(format!("reading {}", file.display()), "it is not in PEM form")
            .hint(pfx::CONVERSION)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(folder: &Path, others: &[&str]) -> CertificatePlace {
        let names = certificate_names(&[], others.iter().copied());
        CertificatePlace { folder: Some(folder.to_owned()), names }
    }

    #[test]
    fn a_generated_certificate_is_kept_until_its_names_change() {
        let folder = tempfile::tempdir().unwrap();
        let first = kept_or_generated(&place(folder.path(), &["db.example"])).unwrap();
        let again = kept_or_generated(&place(folder.path(), &["db.example"])).unwrap();
        let plain = |certificate: &Certificate| certificate.pem().replace("\r\n", "\n");
        assert_eq!(plain(&first).trim(), plain(&again).trim());
        let other = kept_or_generated(&place(folder.path(), &["other.example"])).unwrap();
        assert_ne!(plain(&first).trim(), plain(&other).trim());
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "it holds the private key");
    }

    #[test]
    fn a_certificate_names_this_machine_and_the_public_endpoint() {
        let address = "10.1.2.3:8081".parse().unwrap();
        let names = certificate_names(&[address], ["db.example", "*", "0.0.0.0", "localhost"]);
        assert_eq!(names, ["10.1.2.3", "127.0.0.1", "::1", "db.example", "localhost"]);
    }
}
