//! Writing header values one after the other into a shared buffer: one allocation for a whole response.
//!
//! Owns the buffer and the escaping of characters that headers cannot carry. Does not own header names.

use std::fmt::{Display, Write};
use std::ops::Range;

use bytes::{Bytes, BytesMut};
use hyper::header::HeaderValue;

use super::percent::percent_encode_non_ascii;

/// Enough for the values of a response about an item.
const VALUES_BYTES: usize = 1024;

/// Writes header values. All of them share one allocation, of which each takes its part when the response is complete.
#[derive(Clone, Debug)]
pub(crate) struct HeaderValueWriter {
    buffer: BytesMut,
    /// Where the value that is being written begins.
    start: usize,
    /// Whether the value may contain characters that headers cannot carry. Values that consist of our own constants and
    /// digits skip the scan.
    needs_escaping: bool,
}

/// A value that was written, or one that exists already.
#[derive(Clone, Debug)]
pub(crate) enum WrittenValue {
    /// The place in the buffer of the writer.
    Written(Range<usize>),
    Value(HeaderValue),
}

/// The values of a complete response.
pub(crate) struct WrittenValues(Bytes);

impl HeaderValueWriter {
    pub(crate) fn new() -> Self {
        let buffer = BytesMut::with_capacity(VALUES_BYTES);
        Self { buffer, start: 0, needs_escaping: false }
    }

    /// Appends any text.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.needs_escaping = true;
        self.ascii(text.as_bytes())
    }

    /// Appends a text that consists of printable ASCII.
    #[inline]
    pub(crate) fn ascii(&mut self, text: &[u8]) -> &mut Self {
        self.buffer.extend_from_slice(text);
        self
    }

    #[inline]
    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        self.ascii(itoa::Buffer::new().format(number).as_bytes())
    }

    pub(crate) fn display(&mut self, value: impl Display) -> &mut Self {
        self.needs_escaping = true;
        // Writing to a buffer cannot fail.
        let _ = write!(self.buffer, "{value}");
        self
    }

    /// Ends the value that was written since the last one.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<WrittenValue> {
        let end = self.buffer.len();
        let written = std::mem::replace(&mut self.start, end)..end;
        if std::mem::take(&mut self.needs_escaping) {
            return self.escape(written);
        }
        Some(WrittenValue::Written(written))
    }

    fn escape(&self, written: Range<usize>) -> Option<WrittenValue> {
        let text = self.buffer.get(written.clone()).unwrap_or_default();
        if is_plain(text) {
            return Some(WrittenValue::Written(written));
        }
        header_value(Bytes::copy_from_slice(text)).map(WrittenValue::Value)
    }

    /// The text of a value that was written.
    pub(crate) fn text_of<'value>(
        &'value self,
        value: &'value WrittenValue,
    ) -> Option<&'value str> {
        match value {
            WrittenValue::Written(place) => {
                std::str::from_utf8(self.buffer.get(place.clone())?).ok()
            }
            WrittenValue::Value(value) => value.to_str().ok(),
        }
    }

    /// Ends writing.
    pub(crate) fn finish(self) -> WrittenValues {
        WrittenValues(self.buffer.freeze())
    }
}

impl WrittenValues {
    /// A value; it shares the buffer and is not copied.
    #[inline]
    pub(crate) fn get(&self, value: WrittenValue) -> HeaderValue {
        match value {
            // Every value in the buffer consists of printable ASCII.
            WrittenValue::Written(place) => HeaderValue::from_maybe_shared(self.0.slice(place))
                .unwrap_or(HeaderValue::from_static("")),
            WrittenValue::Value(value) => value,
        }
    }
}

/// Turns a text into a header value. Characters that headers cannot carry are percent-encoded.
pub(crate) fn header_value(text: Bytes) -> Option<HeaderValue> {
    if is_plain(&text) {
        return HeaderValue::from_maybe_shared(text).ok();
    }
    let text = percent_encode_non_ascii(&String::from_utf8_lossy(&text));
    HeaderValue::try_from(text).ok()
}

/// Whether headers can carry all bytes of a text.
fn is_plain(text: &[u8]) -> bool {
    // Folds over all bytes instead of stopping at the first hit, so that the compiler can vectorize the loop.
    let is_carried = |all, byte: &u8| all & (matches!(byte, b' '..=b'~') | (*byte == b'\t'));
    text.iter().fold(true, is_carried)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(writer: &mut HeaderValueWriter, expected: &str) {
        let value = writer.take().unwrap();
        assert_eq!(writer.text_of(&value), Some(expected));
        assert_eq!(writer.clone().finish().get(value).as_bytes(), expected.as_bytes());
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
