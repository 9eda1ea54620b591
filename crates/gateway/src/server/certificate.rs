//! The TLS certificate of the server: the user's own, or a self-signed one.
//!
//! Owns reading and generating it. Does not own files: whoever keeps a generated certificate asks for its private key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::ValidationError;
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";
/// Characters of a line of PEM.
const PEM_LINE: usize = 64;

/// A certificate with its private key.
#[derive(Debug)]
pub struct Certificate {
    pub(super) chain: Vec<CertificateDer<'static>>,
    pub(super) key: PrivateKeyDer<'static>,
    pem: String,
    /// The private key of a generated certificate as PEM.
    key_pem: Option<String>,
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
            key_pem: Some(key.serialize_pem()),
            chain: vec![certificate.der().clone()],
            key: PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
        })
    }

    /// The certificate as PEM, for clients that want to trust it.
    #[must_use]
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// A generated certificate with its private key as PEM, to be kept in a file that only its owner can read. `None`
    /// for a certificate that was read.
    #[must_use]
    pub fn pem_with_key(&self) -> Option<String> {
        self.key_pem.as_ref().map(|key| format!("{}{key}", self.pem))
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
        // A file may hold both; the private key must not be published with the certificate.
        let pem = public_blocks(chain);
        Ok(Self { chain: certificates, key, pem, key_pem: None })
    }

    /// A certificate, those of the authorities above it, and its private key, all in DER form.
    ///
    /// # Errors
    /// [`ValidationError`] when there is no certificate or the key has an unknown form.
    pub fn from_der(chain: Vec<Vec<u8>>, key: Vec<u8>) -> model::Result<Self> {
        if chain.is_empty() {
            return Err(ValidationError::new("The file holds no certificate."));
        }
        let key = PrivateKeyDer::try_from(key).map_err(|reason| {
            ValidationError::new(format!("The private key cannot be used: {reason}."))
        })?;
        let pem = chain.iter().map(|certificate| public_block(certificate)).collect();
        let chain = chain.into_iter().map(CertificateDer::from).collect();
        Ok(Self { chain, key, pem, key_pem: None })
    }
}

/// A certificate as PEM.
fn public_block(certificate: &[u8]) -> String {
    let text = STANDARD.encode(certificate);
    let mut block = format!("{BEGIN}\n");
    for line in text.as_bytes().chunks(PEM_LINE) {
        block.push_str(&String::from_utf8_lossy(line));
        block.push('\n');
    }
    block + END + "\n"
}

/// The certificates of a PEM text, without private keys and the text around them.
fn public_blocks(pem: &str) -> String {
    let blocks = pem.split(BEGIN).skip(1).filter_map(|rest| rest.split_once(END));
    blocks.map(|(block, _)| format!("{BEGIN}{block}{END}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::Certificate;

    #[test]
    fn a_certificate_in_der_form_is_published_as_pem() {
        let generated = Certificate::generate(&["localhost".to_owned()]).unwrap();
        let chain = generated.chain.iter().map(|one| one.to_vec()).collect();
        let read = Certificate::from_der(chain, generated.key.secret_der().to_vec()).unwrap();
        assert_eq!(read.pem().trim(), generated.pem().replace("\r\n", "\n").trim());
        let invalid = Certificate::from_der(Vec::new(), Vec::new()).unwrap_err();
        assert!(invalid.message().contains("no certificate"), "{}", invalid.message());
    }

    #[test]
    fn a_private_key_in_the_same_file_is_not_published() {
        let generated = Certificate::generate(&["localhost".to_owned()]).unwrap();
        let both = generated.pem_with_key().unwrap();
        assert!(both.contains("PRIVATE KEY"));
        let read = Certificate::from_pem(&both, &both).unwrap();
        assert_eq!(read.pem().trim(), generated.pem().replace("\r\n", "\n").trim());
        assert!(!read.pem().contains("PRIVATE KEY"));
        assert_eq!(read.pem_with_key(), None);
    }
}
