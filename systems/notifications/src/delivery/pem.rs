//! Private keys as they come in settings.
//!
//! Owns undoing what environment variables do to line ends. Does not own reading the key.

use super::secret::Secret;

/// The PEM text with real line ends.
pub(super) fn text(key: &Secret) -> String {
    key.reveal().replace("\\r", "").replace("\\n", "\n")
}
