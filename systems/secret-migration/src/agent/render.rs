//! Reading the secrets of a workload from the backend it is on, and writing them to its file.

use std::path::Path;
use std::sync::Arc;

use crate::domain::SecretBackend;
use crate::platform::{PlatformError, PlatformFailure};
use crate::question::ResolvedSecrets;
use crate::secret::SecretData;
use crate::source::{SecretLocation, SecretSource};
use crate::target::SecretTarget;

/// Reads every path of the answer, in its order.
pub(super) async fn read_secrets(
    source: &Arc<dyn SecretSource>,
    target: &Arc<dyn SecretTarget>,
    resolved: &ResolvedSecrets,
) -> Result<Vec<SecretData>, PlatformError> {
    let mut secrets = Vec::with_capacity(resolved.paths.len());
    for path in &resolved.paths {
        let path = &path.path;
        secrets.push(match resolved.backend {
            SecretBackend::Hashi => {
                let (mount, path) = path.split_once('/').unwrap_or(("", path));
                let location = SecretLocation { mount: mount.to_owned(), path: path.to_owned() };
                source.read(&location, None).await?.data
            }
            SecretBackend::Smp => match target.read(path).await? {
                Some(secret) => secret.data,
                None => return Err(PlatformError::new(PlatformFailure::Missing, path.as_str())),
            },
        });
    }
    Ok(secrets)
}

/// Replaces a file at once: a reader sees the old text or the new one. Only the owner can read it.
pub(super) fn replace_file(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let draft = path.with_extension("draft");
    let _ = std::fs::remove_file(&draft);
    let mut file =
        std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&draft, path)
}
