//! Where an HTTP/1.1 response ends.
//!
//! Owns as much of the protocol as a load generator needs: the status, and the length by either way of telling it.
//! Cheap on purpose, since whoever generates load must cost less than who bears it.

use crate::{Error, Result};

/// A whole response at the front of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) status: u16,
    /// Where the body starts.
    pub(super) head_bytes: usize,
    /// Where the next response would start.
    pub(super) bytes: usize,
}

impl Frame {
    /// Finds the end of the first response; none while it is not all there.
    pub(super) fn find(buffer: &[u8]) -> Result<Option<Self>> {
        let Some(head) = Head::read(buffer) else { return Ok(None) };
        let status = buffer.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok());
        let status = status.and_then(|digits| digits.parse().ok());
        let status = status.ok_or_else(|| Error::from("a response without status"))?;
        let head_bytes = head.bytes;
        let bytes = match head.length {
            Length::Bytes(length) => Some(head_bytes + length),
            // These two have no body by definition.
            Length::Unsaid if matches!(status, 204 | 304) => Some(head_bytes),
            Length::Unsaid => return Err("a response without length".into()),
            Length::Chunks => chunks_end(buffer, head_bytes)?,
        };
        let whole = bytes.filter(|bytes| *bytes <= buffer.len());
        Ok(whole.map(|bytes| Self { status, head_bytes, bytes }))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    Bytes(usize),
    Chunks,
    Unsaid,
}

struct Head {
    bytes: usize,
    length: Length,
}

impl Head {
    fn read(buffer: &[u8]) -> Option<Self> {
        let mut length = Length::Unsaid;
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
                    length = Length::Chunks;
                }
                _ => {}
            }
        }
    }
}

fn name_is(line: &[u8], name: &[u8]) -> bool {
    line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
}

fn value(line: &[u8], name: &[u8]) -> Option<Length> {
    let text = name_is(line, name).then(|| line.get(name.len()..)).flatten()?;
    std::str::from_utf8(text).ok()?.trim().parse().ok().map(Length::Bytes)
}

/// Where the last chunk ends; none while it is not there.
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

/// The value of a header of a head that is all there.
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
        let frame = Frame::find(text).unwrap().unwrap();
        assert_eq!(
            (frame.status, text.get(frame.head_bytes..frame.bytes)),
            (201, Some(&b"body"[..]))
        );
        assert_eq!(Frame::find(&text[..text.len() - 14]).unwrap(), None);
    }

    #[test]
    fn a_response_in_chunks_ends_with_the_empty_one() {
        let text = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n";
        assert_eq!(Frame::find(text).unwrap().map(|frame| frame.bytes), Some(text.len()));
        assert_eq!(Frame::find(&text[..text.len() - 1]).unwrap(), None);
    }

    #[test]
    fn a_response_without_length_is_an_error_unless_it_has_no_body() {
        assert!(Frame::find(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
        let frame = Frame::find(b"HTTP/1.1 304 Not Modified\r\n\r\n").unwrap().unwrap();
        assert_eq!((frame.status, frame.bytes), (304, 29));
    }
}
