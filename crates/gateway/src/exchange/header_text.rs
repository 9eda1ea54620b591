//! The texts of header values, written one after the other into one buffer: one allocation for all of them.
//!
//! Owns writing them and escaping what headers cannot carry. Does not own the names.

use std::fmt::{Display, Write};

use bytes::{Bytes, BytesMut};
use hyper::header::HeaderValue;

use super::decimal::Decimal;
use super::escape::percent_encoded_non_ascii;

/// Room for the values of an answer about an item.
const VALUES_BYTES: usize = 1024;

/// The value that is being written, behind those that are already taken.
#[derive(Clone, Debug)]
pub(crate) struct HeaderText {
    buffer: BytesMut,
    /// Whether something in it may be what headers cannot carry.
    is_foreign: bool,
}

impl HeaderText {
    pub(crate) fn new() -> Self {
        Self { buffer: BytesMut::with_capacity(VALUES_BYTES), is_foreign: false }
    }

    /// Any text.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.is_foreign = true;
        self.ascii(text.as_bytes())
    }

    /// A text of ours, which headers can carry.
    pub(crate) fn ascii(&mut self, text: &[u8]) -> &mut Self {
        self.buffer.extend_from_slice(text);
        self
    }

    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        self.ascii(Decimal::of(number).as_bytes())
    }

    pub(crate) fn shown(&mut self, value: impl Display) -> &mut Self {
        self.is_foreign = true;
        // A buffer takes every write.
        let _ = write!(self.buffer, "{value}");
        self
    }

    /// What was written since the last value was taken.
    pub(crate) fn take(&mut self) -> Option<HeaderValue> {
        let text = self.buffer.split().freeze();
        if std::mem::take(&mut self.is_foreign) {
            return header_value(text);
        }
        HeaderValue::from_maybe_shared(text).ok()
    }
}

/// A text as the value of a header; what headers cannot carry is escaped.
pub(crate) fn header_value(text: Bytes) -> Option<HeaderValue> {
    // Looks at every byte, so that many are looked at together.
    let is_plain = |all, byte: &u8| all & (matches!(byte, b' '..=b'~') | (*byte == b'\t'));
    if text.iter().fold(true, is_plain) {
        return HeaderValue::from_maybe_shared(text).ok();
    }
    let text = percent_encoded_non_ascii(&String::from_utf8_lossy(&text));
    HeaderValue::try_from(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(written: &mut HeaderText, expected: &str) {
        assert_eq!(written.take().unwrap().as_bytes(), expected.as_bytes());
    }

    #[test]
    fn each_value_begins_where_the_last_one_ended() {
        let mut written = HeaderText::new();
        check(written.text("a=").number(7).text(";").shown(1.5), "a=7;1.5");
        check(written.ascii(b"b"), "b");
        check(written.ascii(b"c").text("d").ascii(b"e"), "cde");
        check(&mut written, "");
        let long = "x".repeat(3 * VALUES_BYTES);
        check(written.text(&long), &long);
        check(written.number(3), "3");
    }

    #[test]
    fn every_character_is_carried_or_escaped() {
        let mut written = HeaderText::new();
        for byte in 0..128_u8 {
            let text = char::from(byte).to_string();
            let is_carried = byte == b'\t' || (b' '..=b'~').contains(&byte);
            let expected = if is_carried { text.clone() } else { format!("%{byte:02X}") };
            check(written.text(&text), &expected);
        }
        check(written.text("dbs/é b"), "dbs/%C3%A9 b");
        check(written.text("a\tb\n"), "a%09b%0A");
        check(written.ascii(b"a").text("é").ascii(b"b").number(1), "a%C3%A9b1");
        assert_eq!(header_value(Bytes::from_static(b"a\xFF")).unwrap(), "a%EF%BF%BD");
    }
}
