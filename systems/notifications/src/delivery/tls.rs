//! Whom connections by TLS trust: what the machine trusts, and the certificates of a file for providers of one's own.
//!
//! Owns reading that file, and the words for a certificate that is refused. Does not own any connection.

use std::error::Error;
use std::io;

use tokio_rustls::rustls;
use tokio_rustls::rustls::CertificateError;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

use super::settings::ProviderSettingsError;

/// The PEM text of the file that a setting names, with at least one certificate in it; nothing when it names none.
pub(super) fn read_ca_file(
    setting: &str,
    file: &str,
) -> Result<Option<Vec<u8>>, ProviderSettingsError> {
    if file.is_empty() {
        return Ok(None);
    }
    let text = std::fs::read(file).map_err(|error| {
        ProviderSettingsError::new(setting, &format!("is '{file}', which cannot be read: {error}"))
    })?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    if !certificates.is_ok_and(|certificates| !certificates.is_empty()) {
        let wrong = format!("is '{file}', which holds no certificate in PEM form");
        return Err(ProviderSettingsError::new(setting, &wrong));
    }
    Ok(Some(text))
}

/// What is wrong with the other side's certificate, when that is why a connection failed. None of its text is repeated.
pub(super) fn certificate_failure(error: &(dyn Error + 'static)) -> Option<&'static str> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(tls) = tls_error(error) {
            return certificate_error(tls);
        }
        cause = error.source();
    }
    None
}

/// The error of TLS, also as the content of one of I/O, which does not name its content as its source.
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
            "it is for another name"
        }
        CertificateError::Revoked => "it was revoked",
        _ => "it does not hold",
    })
}
