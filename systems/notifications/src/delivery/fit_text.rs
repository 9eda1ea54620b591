//! Shortening the texts of a payload to its size limit.
//!
//! Owns where a text is cut: between grapheme clusters, first the body, then the title. Does not shorten anything else:
//! a cut id or link would be useless.

use unicode_segmentation::UnicodeSegmentation;

const ELLIPSIS: &str = "…";

/// A title and a body, shortened to fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FittedText {
    pub(super) title: String,
    pub(super) body: String,
}

/// Shortens until `size(title, body)` is at most `bytes_max`.
///
/// # Errors
/// The size without any text, if even that is too large.
pub(super) fn fit_text(
    title: &str,
    body: &str,
    bytes_max: usize,
    size: impl Fn(&str, &str) -> usize,
) -> Result<FittedText, usize> {
    let fits = |title: &str, body: &str| size(title, body) <= bytes_max;
    // The body first: the title says what it is about. The size is measured on the encoded payload, since escapes make
    // texts longer.
    if let Some(body) = longest_prefix(body, |body| fits(title, body)) {
        return Ok(FittedText { title: title.to_owned(), body });
    }
    match longest_prefix(title, |title| fits(title, "")) {
        Some(title) => Ok(FittedText { title, body: String::new() }),
        None => Err(size("", "")),
    }
}

/// The text, or its longest prefix with an ellipsis, or the empty text: the first that fits.
fn longest_prefix(text: &str, fits: impl Fn(&str) -> bool) -> Option<String> {
    if fits(text) {
        return Some(text.to_owned());
    }
    let ends: Vec<usize> = text.grapheme_indices(true).map(|(start, _)| start).collect();
    let cut = |end: usize| format!("{}{ELLIPSIS}", text.get(..end).unwrap_or_default().trim_end());
    // A longer prefix is never smaller, so those that fit come first and a binary search finds the last of them.
    let count = ends.partition_point(|&end| fits(&cut(end)));
    match count.checked_sub(1).and_then(|last| ends.get(last)) {
        Some(&end) if end > 0 => Some(cut(end)),
        _ => fits("").then(String::new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(title: &str, body: &str, bytes_max: usize, expected: Option<(&str, &str)>) {
        // Ten bytes around the texts, which count as JSON strings.
        let size = |title: &str, body: &str| {
            let json = |text| serde_json::Value::from(text).to_string().len();
            10 + json(title) + json(body)
        };
        let expected = expected
            .map(|(title, body)| FittedText { title: title.to_owned(), body: body.to_owned() });
        assert_eq!(fit_text(title, body, bytes_max, size).ok(), expected);
    }

    #[test]
    fn what_fits_stays() {
        check("ab", "cdef", 20, Some(("ab", "cdef")));
    }

    #[test]
    fn the_body_is_cut_before_the_title() {
        check("ab", "cdefgh", 21, Some(("ab", "cd…")));
        check("ab", "c       defgh", 21, Some(("ab", "c…")));
        check("ab", "cdef", 18, Some(("ab", "")));
        check("abcdef", "cdef", 18, Some(("a…", "")));
        check("abcdef", "cdef", 14, Some(("", "")));
        check("abcdef", "cdef", 13, None);
    }

    #[test]
    fn a_cut_never_divides_what_people_see_as_one_character() {
        // A family of four: seven code points, 25 bytes.
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}";
        check("", &format!("{family}{family}"), 14 + 25 + 3, Some(("", &format!("{family}…"))));
        check("", &format!("{family}{family}"), 14 + 25 + 2, Some(("", "")));
    }

    #[test]
    fn escapes_count_as_they_are_sent() {
        check("", "\"\"\"\"\"\"", 14 + 7, Some(("", "\"\"…")));
    }
}
