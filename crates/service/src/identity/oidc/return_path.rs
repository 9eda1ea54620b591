//! The page that a browser returns to after signing in.
//!
//! Owns the rule that it is a page of this service: an address of another host here would make the service send people
//! to any site (an open redirect).

const PATH_CHARS_MAX: usize = 1024;

/// The path, query and fragment of a page of this service; `None` if the text could lead elsewhere.
pub(super) fn parse(text: Option<&str>) -> Option<&str> {
    let Some(text) = text else { return Some("/") };
    let mut characters = text.chars();
    let is_path = characters.next() == Some('/') && characters.next() != Some('/');
    // Browsers read `\` as `/` and skip tabs and line breaks, so `/\evil.example` would be another host.
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    (is_path && is_plain && text.len() <= PATH_CHARS_MAX).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn only_pages_of_this_service_are_returned_to() {
        for text in ["/", "/?a=b", "/lists/1#/settings"] {
            assert_eq!(parse(Some(text)), Some(text));
        }
        assert_eq!(parse(None), Some("/"));
        let long = format!("/{}", "a".repeat(1024));
        for text in [
            "",
            "//evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "https://evil.example/",
            "javascript:alert(1)",
            "/a\r\nset-cookie: a=b",
            "/é",
            &long,
        ] {
            assert_eq!(parse(Some(text)), None, "{text}");
        }
    }
}
