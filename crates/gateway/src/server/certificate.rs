//! The TLS certificate of the server: the user's own, or a self-signed one.
//!
//! Owns reading and generating it. The private key of a generated certificate exists only in memory.

use model::ValidationError;
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// A certificate with its private key.
#[derive(Debug)]
pub struct Certificate {
    pub(super) chain: Vec<CertificateDer<'static>>,
    pub(super) key: PrivateKeyDer<'static>,
    pem: String,
}

impl Certificate {
    /// Generates a self-signed certificate for host names and addresses.
    ///
    /// # Errors
    /// [`ValidationError`] when a name cannot be in a certificate.
    pub fn generate(names: &[String]) -> model::Result<Self> {
        let refused = |error: rcgen::Error| {
            ValidationError::new(format!(
                "A certificate for {names:?} cannot be generated: {error}."
            ))
        };
        let mut parameters = CertificateParams::new(names).map_err(refused)?;
        // Clients compare the alternative names; the common name is for people who look at the certificate.
        parameters.distinguished_name.push(DnType::CommonName, "localhost");
        parameters.key_usages =
            vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
        parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate().map_err(refused)?;
        let certificate = parameters.self_signed(&key).map_err(refused)?;
        Ok(Self {
            pem: certificate.pem(),
            chain: vec![certificate.der().clone()],
            key: PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
        })
    }

    /// The certificate as PEM, for clients that want to trust it.
    #[must_use]
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// Reads a certificate and its key from PEM texts.
    ///
    /// # Errors
    /// [`ValidationError`] when a text holds no certificate or no key.
    pub fn from_pem(chain: &str, key: &str) -> model::Result<Self> {
        let certificates: Result<Vec<_>, _> =
            CertificateDer::pem_slice_iter(chain.as_bytes()).collect();
        let certificates = certificates.ok().filter(|certificates| !certificates.is_empty());
        let certificates = certificates.ok_or_else(|| {
            ValidationError::new("The certificate file holds no certificate in PEM form.")
        })?;
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes())
            .map_err(|_| ValidationError::new("The key file holds no private key in PEM form."))?;
        Ok(Self { chain: certificates, key, pem: chain.to_owned() })
    }
}
