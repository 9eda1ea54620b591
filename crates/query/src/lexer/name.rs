//! Which texts are names.
//!
//! Owns the form of identifiers and the rule that some reserved words are also accepted as names.

use super::Keyword;

/// Whether a text has the form of an identifier: ASCII letters, digits and underscores, no leading digit.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a text can be written without quotes where a name is expected.
pub(crate) fn is_bare_name(text: &str) -> bool {
    is_identifier(text) && Keyword::find(text).is_none_or(Keyword::is_also_identifier)
}
