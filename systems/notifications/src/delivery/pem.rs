//! Private keys as they come in settings.
//!
//! Owns undoing what environment variables do to line ends. Does not own reading the key.

use service::settings::Secret;

/// The PEM text with real line ends.
pub(super) fn unescape_newlines(key: &Secret) -> String {
    key.expose().replace("\\r", "").replace("\\n", "\n")
}
