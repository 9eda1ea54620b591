//! W3C trace context: the header `traceparent`, by which a caller's trace continues in the logs of the server.
//!
//! Owns parsing and printing the header. Does not own reading it from a request, nor spans: the server that handles the
//! request creates a child context and records its ids in the span of the request.

use std::fmt;

/// Length of the header in version 00: version, trace id, parent id and flags in hexadecimal, with dashes between.
const HEADER_CHARS: usize = 55;
/// The only flag that version 00 defines.
const SAMPLED: u8 = 0b0000_0001;

/// The identity of one span inside a distributed trace, as the header `traceparent` carries it.
///
/// ```
/// use planisphere_model::TraceContext;
///
/// let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
/// let caller = TraceContext::parse(header).unwrap();
/// let request = caller.child(0xb7ad_6b71_6920_3331).unwrap();
/// assert_eq!(request.trace_id(), caller.trace_id());
/// assert_eq!(request.to_string(), "00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceContext {
    trace_id: u128,
    span_id: u64,
    is_sampled: bool,
}

impl TraceContext {
    /// Name of the header.
    pub const HEADER: &'static str = "traceparent";

    /// Parses the value of the header. Returns `None` when it is malformed: the specification requires that a server
    /// then ignores it instead of refusing the request.
    #[must_use]
    pub fn parse(header: &str) -> Option<Self> {
        // On bytes: all parts are ASCII, and any other byte fails in `parse_hex`.
        let (known, extension) = header.as_bytes().split_at_checked(HEADER_CHARS)?;
        let (version, known) = known.split_first_chunk::<2>()?;
        match version {
            // Version 00 ends here. Later versions may append fields after another dash. Version ff is forbidden.
            b"00" if !extension.is_empty() => return None,
            b"ff" => return None,
            _ if !extension.is_empty() && !extension.starts_with(b"-") => return None,
            _ => {
                parse_hex(version)?;
            }
        }
        let (trace_id, known) = known.strip_prefix(b"-")?.split_at_checked(32)?;
        let (span_id, known) = known.strip_prefix(b"-")?.split_at_checked(16)?;
        let flags = parse_hex(known.strip_prefix(b"-")?)?;
        // The specification reserves zero for "invalid", in the trace id and in the span id.
        let trace_id = parse_hex(trace_id).filter(|id| *id != 0)?;
        let span_id = u64::try_from(parse_hex(span_id)?).ok().filter(|id| *id != 0)?;
        Some(Self { trace_id, span_id, is_sampled: flags & u128::from(SAMPLED) != 0 })
    }

    /// The context of a new span in the same trace. Returns `None` for the span id zero, which the format reserves.
    #[must_use]
    pub fn child(&self, span_id: u64) -> Option<Self> {
        (span_id != 0).then_some(Self { span_id, ..*self })
    }

    /// The trace, as 32 hexadecimal digits.
    #[must_use]
    pub fn trace_id(&self) -> String {
        format!("{:032x}", self.trace_id)
    }

    /// The span, as 16 hexadecimal digits.
    #[must_use]
    pub fn span_id(&self) -> String {
        format!("{:016x}", self.span_id)
    }

    /// Whether the caller records this trace.
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        self.is_sampled
    }
}

impl fmt::Display for TraceContext {
    /// Prints the header in version 00, the only version whose fields we know.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = if self.is_sampled { SAMPLED } else { 0 };
        write!(formatter, "00-{:032x}-{:016x}-{flags:02x}", self.trace_id, self.span_id)
    }
}

/// Parses hexadecimal digits. Upper-case digits are refused, as the format requires.
fn parse_hex(digits: &[u8]) -> Option<u128> {
    digits.iter().try_fold(0, |number: u128, digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(number << 4 | u128::from(value))
    })
}

#[cfg(test)]
mod tests {
    use super::TraceContext;

    const HEADER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_header_is_printed_as_it_was_parsed() {
        let context = TraceContext::parse(HEADER).unwrap();
        assert_eq!(context.to_string(), HEADER);
        assert_eq!(context.trace_id(), "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(context.span_id(), "b7ad6b7169203331");
        assert!(context.is_sampled());
        let unsampled = TraceContext::parse(&HEADER.replace("-01", "-02")).unwrap();
        assert!(!unsampled.is_sampled());
        assert!(unsampled.to_string().ends_with("-00"));
    }

    #[test]
    fn a_child_has_the_same_trace_and_its_own_span() {
        let context = TraceContext::parse(HEADER).unwrap();
        let child = context.child(7).unwrap();
        assert_eq!(child.trace_id(), context.trace_id());
        assert_eq!(child.span_id(), "0000000000000007");
        assert_eq!(context.child(0), None);
    }

    #[test]
    fn later_versions_are_parsed_as_far_as_they_are_known() {
        let later = HEADER.replacen("00", "cc", 1);
        assert_eq!(TraceContext::parse(&later), TraceContext::parse(HEADER));
        assert_eq!(TraceContext::parse(&format!("{later}-what")), TraceContext::parse(HEADER));
        assert_eq!(TraceContext::parse(&format!("{later}.what")), None);
    }

    #[test]
    fn malformed_headers_are_ignored() {
        for (from, to) in [
            ("00-", "ff-"),
            ("00-", "0-"),
            ("00-", "0x-"),
            ("0af7", "0AF7"),
            ("0af7", "0ag7"),
            ("0af7651916cd43dd8448eb211c80319c", "00000000000000000000000000000000"),
            ("b7ad6b7169203331", "0000000000000000"),
            ("-b7ad", "_b7ad"),
            ("-01", "-0"),
            ("-01", "-01-"),
            ("-01", "-01 "),
        ] {
            let header = HEADER.replacen(from, to, 1);
            assert_ne!(header, HEADER);
            assert_eq!(TraceContext::parse(&header), None, "{header}");
        }
        assert_eq!(TraceContext::parse(""), None);
        assert_eq!(TraceContext::parse(&"é".repeat(40)), None);
    }
}
