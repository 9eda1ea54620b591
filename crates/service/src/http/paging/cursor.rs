//! Cursors: continuation tokens, signed for the list they belong to.
//!
//! Owns the format, as URL-safe base64:
//!
//! ```text
//! format version (1 byte) | HMAC-SHA-256 (32 bytes) | continuation token
//! ```
//!
//! The signature also covers the scope (route, caller, filters). A cursor that is invented, altered, or used by another
//! caller or with other filters is refused before the database sees it. A cursor is signed, not encrypted: a
//! continuation token must not contain secrets.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::identity::SigningKey;
use crate::problem::{HttpResult, Problem};

/// The first byte of every cursor in this format.
const FORMAT_VERSION: u8 = 1;
const SIGNATURE_BYTES: usize = 32;
/// Longer texts are rejected before they are decoded, which would allocate.
const CURSOR_CHARS_MAX: usize = 16 * 1024;

/// Signs and verifies cursors.
#[derive(Clone, Debug)]
pub struct Cursors {
    key: SigningKey,
}

impl Cursors {
    /// Cursors signed with a key derived from the service's key. Instances that share the secret accept each other's.
    #[must_use]
    pub fn new(key: &SigningKey) -> Self {
        Self { key: key.derive("cursor") }
    }

    /// The cursor for the next page. `scope` is everything that must be the same when the cursor is used.
    #[must_use]
    pub fn seal(&self, scope: &[&str], continuation: &str) -> String {
        let mut bytes = vec![FORMAT_VERSION];
        bytes.extend(self.key.sign(&signed_parts(scope, continuation.as_bytes())));
        bytes.extend_from_slice(continuation.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The continuation token in a cursor of this scope.
    ///
    /// # Errors
    /// 400 `invalid_cursor` when the signature does not match, or the cursor belongs to another scope.
    pub fn open(&self, scope: &[&str], cursor: &str) -> HttpResult<String> {
        self.verify(scope, cursor).ok_or_else(|| {
            let detail = "The cursor does not belong to this request. Start again without one.";
            Problem::bad_request("invalid_cursor", detail)
        })
    }

    fn verify(&self, scope: &[&str], cursor: &str) -> Option<String> {
        if cursor.len() > CURSOR_CHARS_MAX {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (version, rest) = bytes.split_first()?;
        let (signature, continuation) = rest.split_at_checked(SIGNATURE_BYTES)?;
        if *version != FORMAT_VERSION
            || !self.key.verify(&signed_parts(scope, continuation), signature)
        {
            return None;
        }
        String::from_utf8(continuation.to_vec()).ok()
    }
}

fn signed_parts<'a>(scope: &[&'a str], continuation: &'a [u8]) -> Vec<&'a [u8]> {
    let scope = scope.iter().map(|part| part.as_bytes());
    // Each part is signed with its length, so a filter cannot move text into the continuation.
    std::iter::once(continuation).chain(scope).collect()
}

#[cfg(test)]
mod tests {
    use super::Cursors;
    use crate::identity::SigningKey;
    use crate::settings::Secret;

    fn cursors(secret: &str) -> Cursors {
        Cursors::new(&SigningKey::from_secret(&Secret::new(secret)))
    }

    #[test]
    fn an_own_cursor_is_opened() {
        let cursor = cursors("s").seal(&["list", "ann"], "next {\"a\":1}");
        assert_eq!(cursors("s").open(&["list", "ann"], &cursor).unwrap(), "next {\"a\":1}");
    }

    #[test]
    fn a_forged_or_foreign_cursor_is_refused() {
        let ours = cursors("s");
        let cursor = ours.seal(&["list", "ann"], "next");
        let mut forged = cursor.clone();
        forged.replace_range(5..6, if forged.as_bytes()[5] == b'A' { "B" } else { "A" });
        let longer = format!("{cursor}AAAA");
        let huge = "A".repeat(1 << 20);
        let texts = ["", "A", "not base64!", &forged, &longer, &cursor[..20], &huge, "%00"];
        for text in texts {
            let problem = ours.open(&["list", "ann"], text).unwrap_err();
            assert_eq!((problem.status().as_u16(), problem.code()), (400, "invalid_cursor"));
        }
        for scope in [&["list", "bob"][..], &["lista", "nn"], &["list"], &["list", "ann", ""]] {
            assert!(ours.open(scope, &cursor).is_err(), "{scope:?}");
        }
        assert!(cursors("other").open(&["list", "ann"], &cursor).is_err());
    }
}
