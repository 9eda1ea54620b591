//! Finds the end of an HTTP/1.1 response.
//!
//! Implements as much of the protocol as a load generator needs, cheaply: it must cost less than the server it loads.

use crate::{Error, Result};

/// A complete response at the start of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResponseFrame {
    pub(super) status: u16,
    /// Where the body starts.
    pub(super) head_bytes: usize,
    /// Where the next response would start.
    pub(super) bytes: usize,
}

impl ResponseFrame {
    /// Finds the end of the first response; `None` if it is incomplete.
    pub(super) fn find(buffer: &[u8]) -> Result<Option<Self>> {
        let Some(head) = ResponseHead::read(buffer) else { return Ok(None) };
        let status = buffer.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok());
        let status = status.and_then(|digits| digits.parse().ok());
        let status = status.ok_or_else(|| Error::from("a response without status"))?;
        let head_bytes = head.bytes;
        let bytes = match head.length {
            BodyLength::Bytes(length) => Some(head_bytes + length),
            // These two have no body by definition.
            BodyLength::Unsaid if matches!(status, 204 | 304) => Some(head_bytes),
            BodyLength::Unsaid => return Err("a response without length".into()),
            BodyLength::Chunks => chunks_end(buffer, head_bytes)?,
        };
        let whole = bytes.filter(|bytes| *bytes <= buffer.len());
        Ok(whole.map(|bytes| Self { status, head_bytes, bytes }))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyLength {
    Bytes(usize),
    Chunks,
    Unsaid,
}

struct ResponseHead {
    bytes: usize,
    length: BodyLength,
}

impl ResponseHead {
    fn read(buffer: &[u8]) -> Option<Self> {
        let mut length = BodyLength::Unsaid;
        let mut start = 0;
        loop {
            let rest = buffer.get(start..)?;
            let line = rest.get(..rest.iter().position(|byte| *byte == b'\n')?)?;
            start += line.len() + 1;
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                return Some(Self { bytes: start, length });
            }
            match line.first() {
                Some(b'c' | b'C') => length = value(line, b"content-length:").unwrap_or(length),
                Some(b't' | b'T') if name_is(line, b"transfer-encoding:") => {
                    length = BodyLength::Chunks;
                }
                _ => {}
            }
        }
    }
}

fn name_is(line: &[u8], name: &[u8]) -> bool {
    line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
}

fn value(line: &[u8], name: &[u8]) -> Option<BodyLength> {
    let text = name_is(line, name).then(|| line.get(name.len()..)).flatten()?;
    std::str::from_utf8(text).ok()?.trim().parse().ok().map(BodyLength::Bytes)
}

/// The end of the last chunk; `None` if it is incomplete.
fn chunks_end(buffer: &[u8], mut start: usize) -> Result<Option<usize>> {
    loop {
        let Some(rest) = buffer.get(start..) else { return Ok(None) };
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else { return Ok(None) };
        let digits = std::str::from_utf8(rest.get(..end).unwrap_or_default())?;
        let bytes = usize::from_str_radix(digits.trim(), 16)?;
        // The line of the size, the chunk, and the line end after it.
        start += end + 1 + bytes + 2;
        if bytes == 0 {
            return Ok(Some(start));
        }
    }
}

/// The value of a header in a complete head.
pub(super) fn header<'head>(head: &'head str, name: &str) -> Option<&'head str> {
    head.lines().find_map(|line| {
        let (known, value) = line.split_once(':')?;
        known.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_ends_where_its_length_says() {
        let text = b"HTTP/1.1 201 Created\r\nContent-Length: 4\r\netag: x\r\n\r\nbodyHTTP/1.1 200";
        let frame = ResponseFrame::find(text).unwrap().unwrap();
        assert_eq!(
            (frame.status, text.get(frame.head_bytes..frame.bytes)),
            (201, Some(&b"body"[..]))
        );
        assert_eq!(ResponseFrame::find(&text[..text.len() - 14]).unwrap(), None);
    }

    #[test]
    fn a_response_in_chunks_ends_with_the_empty_one() {
        let text = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n";
        assert_eq!(ResponseFrame::find(text).unwrap().map(|frame| frame.bytes), Some(text.len()));
        assert_eq!(ResponseFrame::find(&text[..text.len() - 1]).unwrap(), None);
    }

    #[test]
    fn a_response_without_length_is_an_error_unless_it_has_no_body() {
        assert!(ResponseFrame::find(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
        let frame = ResponseFrame::find(b"HTTP/1.1 304 Not Modified\r\n\r\n").unwrap().unwrap();
        assert_eq!((frame.status, frame.bytes), (304, 29));
    }
}
