//! Finds bare line feeds in the heads of HTTP/1 requests.
//!
//! The HTTP library accepts a line feed without a carriage return as the end of a line. A proxy in front may not, and
//! then both see different requests in the same bytes (request smuggling). Owns following the messages of a connection
//! just far enough to know which bytes are lines: request line, headers, chunk sizes, trailers. Does not refuse
//! anything itself: see `strict_stream`.

use memchr::memchr_iter;

/// More than the longest line whose content matters: a length or an encoding.
const LINE_BYTES_MAX: usize = 1024;
/// What a client of HTTP/2 sends in place of a request line.
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0";

/// Follows the requests of one connection.
#[derive(Debug, Default)]
pub(super) struct HeadScanner {
    part: MessagePart,
    body: ScannedBodyLength,
    /// The beginning of a line whose end has not arrived.
    line: Vec<u8>,
    /// The last byte before those that arrive next.
    last: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MessagePart {
    #[default]
    RequestLine,
    Headers,
    /// Bytes of the body that are still to come.
    Body(u64),
    ChunkSize,
    /// Bytes of the chunk that are still to come, with the end of its line.
    Chunk(u64),
    Trailers,
    /// The connection speaks HTTP/2, which has no lines.
    Http2,
    /// The library refuses what has arrived, and nothing after it is a request.
    Refused,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ScannedBodyLength {
    #[default]
    None,
    Bytes(u64),
    Chunked,
}

impl HeadScanner {
    /// Scans bytes that have arrived and returns the position of the first bare line feed in a line. Nothing after it
    /// is scanned.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        // One search for all lines of a head. It begins again behind a body, whose line feeds are not looked at.
        let (mut searched_from, mut line_feeds) = (0, memchr_iter(b'\n', bytes));
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            match &mut self.part {
                MessagePart::Http2 | MessagePart::Refused => return None,
                MessagePart::Body(missing) | MessagePart::Chunk(missing) => {
                    let available = u64::try_from(rest.len()).unwrap_or(u64::MAX);
                    let taken = available.min(*missing);
                    *missing -= taken;
                    at += usize::try_from(taken).unwrap_or(usize::MAX);
                    self.end_body();
                    let after = bytes.get(at..).unwrap_or_default();
                    (searched_from, line_feeds) = (at, memchr_iter(b'\n', after));
                }
                _ => {
                    let Some(end) = line_feeds.next().map(|found| searched_from + found - at)
                    else {
                        self.keep(rest);
                        return None;
                    };
                    let before = end.checked_sub(1).and_then(|index| rest.get(index));
                    if before.copied().unwrap_or(self.last) != b'\r' {
                        self.part = MessagePart::Refused;
                        return Some(at + end);
                    }
                    let line = rest.get(..end).unwrap_or_default();
                    if self.concerns_body(line) {
                        self.end_line(line);
                    } else {
                        self.last = b'\n';
                    }
                    at += end + 1;
                }
            }
        }
        None
    }

    /// Whether the client is in the middle of a request, as far as it has been read.
    pub(super) fn is_mid_request(&self) -> bool {
        match self.part {
            MessagePart::RequestLine => !self.line.is_empty(),
            MessagePart::Http2 => false,
            _ => true,
        }
    }

    /// Whether the end of a line can change what comes next. Most lines are headers that begin with another letter than
    /// those about the body, and are complete in what has arrived at once.
    fn concerns_body(&self, line: &[u8]) -> bool {
        self.part != MessagePart::Headers
            || !self.line.is_empty()
            || matches!(line.first(), None | Some(b'c' | b'C' | b't' | b'T' | b'\r'))
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LINE_BYTES_MAX.saturating_sub(self.line.len());
        self.line.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        self.last = bytes.last().copied().unwrap_or(self.last);
    }

    /// Ends a line, whose last bytes are given, with its carriage return.
    fn end_line(&mut self, bytes: &[u8]) {
        self.last = b'\n';
        if self.line.is_empty() {
            self.take_line(trim_carriage_return(bytes));
            return;
        }
        self.keep(bytes);
        self.last = b'\n';
        let line = std::mem::take(&mut self.line);
        self.take_line(trim_carriage_return(&line));
    }

    fn take_line(&mut self, line: &[u8]) {
        self.part = match self.part {
            MessagePart::RequestLine if line == HTTP2_PREFACE => MessagePart::Http2,
            // Empty lines before a request are ignored, by the library too.
            MessagePart::RequestLine if line.is_empty() => MessagePart::RequestLine,
            MessagePart::RequestLine => {
                self.body = ScannedBodyLength::None;
                MessagePart::Headers
            }
            MessagePart::Headers if line.is_empty() => match self.body {
                ScannedBodyLength::None | ScannedBodyLength::Bytes(0) => MessagePart::RequestLine,
                ScannedBodyLength::Bytes(length) => MessagePart::Body(length),
                ScannedBodyLength::Chunked => MessagePart::ChunkSize,
            },
            MessagePart::Headers => match self.take_header(line) {
                Some(()) => MessagePart::Headers,
                None => MessagePart::Refused,
            },
            MessagePart::ChunkSize => match chunk_size(line) {
                Some(0) => MessagePart::Trailers,
                Some(size) => MessagePart::Chunk(size.saturating_add(2)),
                None => MessagePart::Refused,
            },
            MessagePart::Trailers if line.is_empty() => MessagePart::RequestLine,
            part => part,
        };
    }

    /// Notes the length of the body; `None` if the library refuses the header.
    fn take_header(&mut self, line: &[u8]) -> Option<()> {
        if let Some(value) = header_text(line, b"content-length:") {
            let length = content_length(value)?;
            match self.body {
                // A chunked body has no other length, whatever the header says.
                ScannedBodyLength::Chunked => {}
                ScannedBodyLength::Bytes(known) if known != length => return None,
                _ => self.body = ScannedBodyLength::Bytes(length),
            }
        } else if let Some(value) = header_text(line, b"transfer-encoding:") {
            let last = value.rsplit(',').next().unwrap_or_default().trim();
            if !last.eq_ignore_ascii_case("chunked") {
                return None;
            }
            self.body = ScannedBodyLength::Chunked;
        }
        Some(())
    }

    fn end_body(&mut self) {
        match self.part {
            MessagePart::Body(0) => self.part = MessagePart::RequestLine,
            MessagePart::Chunk(0) => self.part = MessagePart::ChunkSize,
            _ => {}
        }
    }
}

/// The value of a header with this name, which a colon ends.
fn header_text<'line>(line: &'line [u8], name: &[u8]) -> Option<&'line str> {
    let (start, value) = line.split_at_checked(name.len())?;
    if start.eq_ignore_ascii_case(name) { std::str::from_utf8(value).ok() } else { None }
}

fn trim_carriage_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A length, which may be repeated as `5, 5`.
fn content_length(value: &str) -> Option<u64> {
    let mut lengths = value.split(',').map(|part| {
        let digits = part.trim();
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse::<u64>().ok()).flatten()
    });
    let first = lengths.next().flatten()?;
    lengths.all(|length| length == Some(first)).then_some(first)
}

/// The size of a chunk, before its extensions.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(line).ok()?.split(';').next()?.trim();
    u64::from_str_radix(text, 16).ok()
}

/// For fuzzing: where a message is cut on its way makes no difference.
#[cfg(any(test, fuzzing))]
pub(crate) fn check_scanner(bytes: &[u8]) {
    let whole = HeadScanner::default().scan(bytes);
    for part_bytes in [1, 2, 3, 7, 64] {
        let mut scanner = HeadScanner::default();
        let mut before = 0;
        let found = bytes.chunks(part_bytes).find_map(|part| {
            let found = scanner.scan(part).map(|at| before + at);
            before += part.len();
            found
        });
        assert_eq!(found, whole, "in parts of {part_bytes}");
        let _ = scanner.is_mid_request();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scans a text in pieces of each length and checks where a bare line feed is found.
    fn check(text: &str, found: Option<usize>) {
        for piece in 1..=text.len() {
            let mut scanner = HeadScanner::default();
            let mut pieces = text.as_bytes().chunks(piece).enumerate();
            let bare = pieces.find_map(|(index, bytes)| Some(index * piece + scanner.scan(bytes)?));
            assert_eq!(bare, found, "{text:?} in pieces of {piece}");
        }
    }

    #[test]
    fn bare_line_feeds_are_found_in_lines_and_ignored_in_bodies() {
        let get = "GET / HTTP/1.1\r\nhost: h\r\n\r\n";
        check(get, None);
        check(&format!("\r\n{get}{get}"), None);
        check("GET / HTTP/1.1\nhost: h\r\n\r\n", Some(14));
        check("GET / HTTP/1.1\r\nhost: h\n\r\n", Some(23));
        check("GET / HTTP/1.1\r\nhost: h\r\n\n", Some(25));
        check("\nGET / HTTP/1.1\r\n\r\n", Some(0));
        let post = "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\na\nb\n";
        check(post, None);
        check(&format!("{post}{get}"), None);
        check(&format!("{post}GET / HTTP/1.1\nhost: h\r\n\r\n"), Some(post.len() + 14));
        let same = "POST / HTTP/1.1\r\ncontent-length: 2, 2\r\n\r\n\n\n";
        check(&format!("{same}GET /\n"), Some(same.len() + 5));
        let chunked =
            "POST / HTTP/1.1\r\ntransfer-encoding: gzip, Chunked\r\n\r\n3;x=y\r\n\n\n\n\r\n0\r\n";
        check(&format!("{chunked}\r\n{get}"), None);
        check(&format!("{chunked}a: b\r\n\r\n{get}"), None);
        check(&format!("{chunked}a: b\n\r\n"), Some(chunked.len() + 4));
        check("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\nabc", Some(48));
        // A length after the encoding does not count.
        let both = "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\ncontent-length: 9\r\n\r\n1\r\n\n\r\n0\r\n\r\n";
        check(&format!("{both}GET /\n"), Some(both.len() + 5));
        check("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\n\n", None);
    }

    #[test]
    fn a_request_is_in_progress_until_its_body_has_arrived() {
        let mut scanner = HeadScanner::default();
        assert!(!scanner.is_mid_request());
        assert_eq!(scanner.scan(b"POST / HTTP/1.1\r\n"), None);
        assert!(scanner.is_mid_request());
        assert_eq!(scanner.scan(b"content-length: 2\r\n\r\na"), None);
        assert!(scanner.is_mid_request());
        assert_eq!(scanner.scan(b"b"), None);
        assert!(!scanner.is_mid_request());
        assert_eq!(scanner.scan(b"G"), None);
        assert!(scanner.is_mid_request());
    }
}
