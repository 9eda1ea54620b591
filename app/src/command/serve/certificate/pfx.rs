//! Certificates in PFX files (PKCS #12), which Microsoft's emulators take.
//!
//! Owns recognizing and decrypting such a file. Reading it needs the feature `pfx`, because the libraries for it are
//! many; without it the error names the command that converts the file.

use std::path::Path;

use gateway::Certificate;

use crate::error::CommandError;

/// What to do with a file that cannot be read.
pub(super) const CONVERSION: &str = "Give the password of the PFX file in CERT_SECRET, or convert it with `openssl \
     pkcs12 -in FILE -out cert.pem -nodes` and give the result";

/// Whether these are the bytes of such a file. They begin with a sequence; a PEM file begins with text.
pub(super) fn is_pfx(bytes: &[u8]) -> bool {
    bytes.first() == Some(&0x30)
}

/// The certificate in the file with its private key, and those of the authorities above it.
#[cfg(feature = "pfx")]
pub(super) fn certificate(
    file: &Path,
    bytes: &[u8],
    secret: &str,
) -> Result<Certificate, CommandError> {
    use p12_keystore::{KeyStore, Pkcs12ImportPolicy};

    let refused = |reason: String| {
        CommandError::new(format!("reading {}", file.display()), reason).hint(CONVERSION)
    };
    // Relaxed: a chain does not have to end at an authority that is in the file.
    let store = KeyStore::from_pkcs12(bytes, secret, Pkcs12ImportPolicy::Relaxed)
        .map_err(|error| refused(format!("it cannot be decrypted: {error}")))?;
    let (_, found) = store
        .private_key_chain()
        .ok_or_else(|| refused("it contains no private key with its certificate".to_owned()))?;
    let chain = found.certs().iter().map(|certificate| certificate.as_der().to_vec()).collect();
    Certificate::from_der(chain, found.key().as_der().to_vec())
        .map_err(|invalid| refused(invalid.message().to_owned()))
}

/// Refuses the file.
#[cfg(not(feature = "pfx"))]
pub(super) fn certificate(
    file: &Path,
    _bytes: &[u8],
    _secret: &str,
) -> Result<Certificate, CommandError> {
    let reason = "this build reads no PFX files; build with --features pfx";
    Err(CommandError::new(format!("reading {}", file.display()), reason).hint(CONVERSION))
}
