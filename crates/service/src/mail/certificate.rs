//! Trusted certificates: those of the machine, and those of a file, for private providers and relays.
//!
//! Owns reading that file, and the reason why a certificate was refused. Does not own any connection.

use std::error::Error;
use std::io;

use tokio_rustls::rustls;
use tokio_rustls::rustls::CertificateError;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

use crate::settings::ProviderSettingsError;

/// Reads the PEM file that a setting names, which must hold a certificate. `None` if the setting is empty.
///
/// # Errors
/// The file cannot be read, or has no certificate.
pub fn read_ca_file(setting: &str, file: &str) -> Result<Option<Vec<u8>>, ProviderSettingsError> {
    if file.is_empty() {
        return Ok(None);
    }
    let text = std::fs::read(file).map_err(|error| {
        ProviderSettingsError::new(setting, &format!("is '{file}', which cannot be read: {error}"))
    })?;
    // Read when the service starts: a wrong file must not be found out by the first message.
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    if !certificates.is_ok_and(|certificates| !certificates.is_empty()) {
        let wrong = format!("is '{file}', which has no certificate in PEM form");
        return Err(ProviderSettingsError::new(setting, &wrong));
    }
    Ok(Some(text))
}

/// What is wrong with the server's certificate, if that is why a connection failed. Its text is not repeated, because
/// it comes from outside.
#[must_use]
pub fn certificate_failure(error: &(dyn Error + 'static)) -> Option<&'static str> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(tls) = tls_error(error) {
            return certificate_error(tls);
        }
        cause = error.source();
    }
    None
}

/// The TLS error, also inside an I/O error, which does not return its content as its source.
fn tls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    if let Some(tls) = error.downcast_ref::<rustls::Error>() {
        return Some(tls);
    }
    let inner = error.downcast_ref::<io::Error>()?.get_ref()?;
    let inner: &(dyn Error + 'static) = inner;
    tls_error(inner)
}

fn certificate_error(error: &rustls::Error) -> Option<&'static str> {
    let rustls::Error::InvalidCertificate(wrong) = error else { return None };
    Some(match wrong {
        CertificateError::UnknownIssuer => "its issuer is not trusted",
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "it has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "it is for another host name"
        }
        CertificateError::Revoked => "it was revoked",
        _ => "it is not valid",
    })
}
