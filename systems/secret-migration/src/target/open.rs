//! The platform that the settings name.

use std::sync::Arc;

use client::Environment;

use crate::envelope::EnvelopeKeys;
use crate::error::{Error, Result};
use crate::vault::VaultClient;

use super::directory::DirectoryTarget;
use super::key_vault::KeyVaultTarget;
use super::rest::RestTarget;
use super::settings::{SmpKind, SmpSettings};
use super::traits::SecretTarget;

/// Opens the platform. Nothing is sent yet.
///
/// # Errors
/// `Invalid` for settings that cannot be used.
pub fn open_target(
    settings: &SmpSettings,
    environment: Environment,
) -> Result<Arc<dyn SecretTarget>> {
    Ok(match settings.kind {
        SmpKind::Kv2 => {
            let vault = settings.as_vault();
            let vault = vault.ok_or_else(|| Error::invalid("Smp:Auth: not a login of a Vault"))?;
            Arc::new(VaultClient::open(vault, environment)?)
        }
        SmpKind::Rest => Arc::new(RestTarget::open(settings, environment)?),
        SmpKind::KeyVault => Arc::new(KeyVaultTarget::open(settings, environment)?),
        SmpKind::Directory => {
            let mut keys = vec![settings.key.clone()];
            keys.extend_from_slice(&settings.former_keys);
            let keys = EnvelopeKeys::parse(&keys)?;
            Arc::new(DirectoryTarget::open(settings.folder.as_ref(), keys))
        }
    })
}
