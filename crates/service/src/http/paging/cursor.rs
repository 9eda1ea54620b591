//! Cursors: continuation tokens of the store, signed for the question they belong to.
//!
//! Owns the form: a format version, a signature, the continuation token. The signature covers the question (route,
//! caller, filters), so that a cursor made up, changed, or taken to another question or caller is refused before the
//! store sees it. A cursor is signed, not encrypted.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::http::problem::{Outcome, Problem};
use crate::identity::SigningKey;

/// The first byte of every cursor of this form.
const FORMAT_VERSION: u8 = 1;
const SIGNATURE_BYTES: usize = 32;
/// Longer texts are not even decoded.
const CURSOR_CHARS_MAX: usize = 16 * 1024;

/// Makes and opens cursors.
#[derive(Clone, Debug)]
pub struct Cursors {
    key: SigningKey,
}

impl Cursors {
    /// Cursors of a service. Instances that share the secret open each other's.
    #[must_use]
    pub fn new(key: &SigningKey) -> Self {
        Self { key: key.derive("cursor") }
    }

    /// The cursor for the next page of a question: everything that must be the same when it comes back.
    #[must_use]
    pub fn seal(&self, question: &[&str], continuation: &str) -> String {
        let mut bytes = vec![FORMAT_VERSION];
        bytes.extend(self.key.sign(&parts(question, continuation.as_bytes())));
        bytes.extend_from_slice(continuation.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The continuation token in a cursor.
    ///
    /// # Errors
    /// 400 `invalid_cursor` when it is not ours, or belongs to another question.
    pub fn open(&self, question: &[&str], cursor: &str) -> Outcome<String> {
        self.opened(question, cursor).ok_or_else(|| {
            let detail = "The cursor does not belong to this question. Start again without one.";
            Problem::bad_request("invalid_cursor", detail)
        })
    }

    fn opened(&self, question: &[&str], cursor: &str) -> Option<String> {
        if cursor.len() > CURSOR_CHARS_MAX {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (version, rest) = bytes.split_first()?;
        let (signature, continuation) = rest.split_at_checked(SIGNATURE_BYTES)?;
        if *version != FORMAT_VERSION || !self.key.verify(&parts(question, continuation), signature)
        {
            return None;
        }
        String::from_utf8(continuation.to_vec()).ok()
    }
}

fn parts<'a>(question: &[&'a str], continuation: &'a [u8]) -> Vec<&'a [u8]> {
    let question = question.iter().map(|part| part.as_bytes());
    std::iter::once(continuation).chain(question).collect()
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
    fn a_cursor_comes_back() {
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
        for question in [&["list", "bob"][..], &["lista", "nn"], &["list"], &["list", "ann", ""]] {
            assert!(ours.open(question, &cursor).is_err(), "{question:?}");
        }
        assert!(cursors("other").open(&["list", "ann"], &cursor).is_err());
    }
}
