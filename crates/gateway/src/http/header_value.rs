//! Writing header values one after the other into a shared buffer: one allocation for a whole response.
//!
//! Owns the buffer and the escaping of characters that headers cannot carry. Does not own header names.

use std::fmt::{Display, Write};

use bytes::{Bytes, BytesMut};
use hyper::header::HeaderValue;

use super::percent::percent_encode_non_ascii;

/// Enough for the values of a response about an item.
const VALUES_BYTES: usize = 1024;

/// The header value being written. Values taken earlier share the same allocation.
#[derive(Clone, Debug)]
pub(crate) struct HeaderValueWriter {
    buffer: BytesMut,
    /// Whether the value may contain characters that headers cannot carry. Values that consist of our own constants and
    /// digits skip the scan.
    needs_escaping: bool,
}

impl HeaderValueWriter {
    pub(crate) fn new() -> Self {
        Self { buffer: BytesMut::with_capacity(VALUES_BYTES), needs_escaping: false }
    }

    /// Appends any text.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.needs_escaping = true;
        self.ascii(text.as_bytes())
    }

    /// Appends a text that consists of printable ASCII.
    pub(crate) fn ascii(&mut self, text: &[u8]) -> &mut Self {
        self.buffer.extend_from_slice(text);
        self
    }

    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        self.ascii(itoa::Buffer::new().format(number).as_bytes())
    }

    pub(crate) fn display(&mut self, value: impl Display) -> &mut Self {
        self.needs_escaping = true;
        // Writing to a buffer cannot fail.
        let _ = write!(self.buffer, "{value}");
        self
    }

    /// Takes what was written since the last value was taken.
    pub(crate) fn take(&mut self) -> Option<HeaderValue> {
        let text = self.buffer.split().freeze();
        if std::mem::take(&mut self.needs_escaping) {
            return header_value(text);
        }
        // Shares the buffer; the value is not copied.
        HeaderValue::from_maybe_shared(text).ok()
    }
}

/// Turns a text into a header value. Characters that headers cannot carry are percent-encoded.
pub(crate) fn header_value(text: Bytes) -> Option<HeaderValue> {
    // Folds over all bytes instead of stopping at the first hit, so that the compiler can vectorize the loop.
    let is_plain = |all, byte: &u8| all & (matches!(byte, b' '..=b'~') | (*byte == b'\t'));
    if text.iter().fold(true, is_plain) {
        return HeaderValue::from_maybe_shared(text).ok();
    }
    let text = percent_encode_non_ascii(&String::from_utf8_lossy(&text));
    HeaderValue::try_from(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(writer: &mut HeaderValueWriter, expected: &str) {
        assert_eq!(writer.take().unwrap().as_bytes(), expected.as_bytes());
    }

    #[test]
    fn each_value_starts_where_the_last_one_ended() {
        let mut writer = HeaderValueWriter::new();
        check(writer.text("a=").number(7).text(";").display(1.5), "a=7;1.5");
        check(writer.ascii(b"b"), "b");
        check(writer.ascii(b"c").text("d").ascii(b"e"), "cde");
        check(&mut writer, "");
        let long = "x".repeat(3 * VALUES_BYTES);
        check(writer.text(&long), &long);
        check(writer.number(3), "3");
    }

    #[test]
    fn every_character_is_carried_or_escaped() {
        let mut writer = HeaderValueWriter::new();
        for byte in 0..128_u8 {
            let text = char::from(byte).to_string();
            let is_carried = byte == b'\t' || (b' '..=b'~').contains(&byte);
            let expected = if is_carried { text.clone() } else { format!("%{byte:02X}") };
            check(writer.text(&text), &expected);
        }
        check(writer.text("dbs/é b"), "dbs/%C3%A9 b");
        check(writer.text("a\tb\n"), "a%09b%0A");
        check(writer.ascii(b"a").text("é").ascii(b"b").number(1), "a%C3%A9b1");
        assert_eq!(header_value(Bytes::from_static(b"a\xFF")).unwrap(), "a%EF%BF%BD");
    }
}
