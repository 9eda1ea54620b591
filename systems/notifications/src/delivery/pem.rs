//! Private keys in settings.
//!
//! An environment variable often has `\n` for a line break, which PEM parsers do not accept.

use service::settings::Secret;

/// The PEM text with real line breaks.
pub(super) fn unescape_newlines(key: &Secret) -> String {
    key.expose().replace("\\r", "").replace("\\n", "\n")
}
