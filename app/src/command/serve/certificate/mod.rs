//! The certificate of a server: flags, generated and given certificates, PFX files.

mod pfx;
mod served;

pub(crate) use served::{CertificatePlace, TlsFlags, TlsSetup, certificate_names};
