//! String positions in UTF-16 code units, as the service counts them.
//!
//! Owns length, search and slicing by such positions. Does not own string functions. A cut through the middle of a
//! surrogate pair leaves U+FFFD, because half of a pair is not a character.

/// The number of code units of a string.
#[must_use]
pub fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// At most `units` code units from a position on.
#[must_use]
pub fn slice(text: &str, start: usize, units: usize) -> String {
    // ASCII has one code unit per byte: no conversion is needed.
    if text.is_ascii() {
        let start = start.min(text.len());
        let end = start.saturating_add(units).min(text.len());
        return text.get(start..end).unwrap_or_default().to_owned();
    }
    let cut: Vec<u16> = text.encode_utf16().skip(start).take(units).collect();
    String::from_utf16_lossy(&cut)
}

/// The position of the first occurrence at or after `start`.
#[must_use]
pub fn find(text: &str, wanted: &str, start: usize) -> Option<usize> {
    let offset = byte_offset(text, start)?;
    let found = text.get(offset..)?.find(wanted)?;
    Some(length(text.get(..offset + found)?))
}

/// The position of the last occurrence that ends at or before `end`.
#[must_use]
pub fn find_last(text: &str, wanted: &str, end: usize) -> Option<usize> {
    // An end beyond the string means the whole string.
    let offset = byte_offset(text, end).unwrap_or(text.len());
    let found = text.get(..offset)?.rfind(wanted)?;
    Some(length(text.get(..found)?))
}

/// The byte offset of a code unit, which may be the end of the string; `None` beyond it. The second half of a surrogate
/// pair counts as the next character.
fn byte_offset(text: &str, position: usize) -> Option<usize> {
    if text.is_ascii() {
        return (position <= text.len()).then_some(position);
    }
    let mut units = 0;
    for (offset, character) in text.char_indices() {
        if units >= position {
            return Some(offset);
        }
        units += character.len_utf16();
    }
    (units >= position).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_code_units() {
        let text = "a🚀b🚀b";
        assert_eq!(length(text), 7);
        assert_eq!(slice(text, 1, 2), "🚀");
        assert_eq!(slice(text, 3, 100), "b🚀b");
        assert_eq!(slice(text, 9, 1), "");
        assert_eq!(find(text, "b", 0), Some(3));
        assert_eq!(find(text, "b", 4), Some(6));
        assert_eq!(find(text, "b", 8), None);
        assert_eq!(find_last(text, "b", 7), Some(6));
        assert_eq!(find_last(text, "b", 6), Some(3));
    }

    #[test]
    fn half_a_pair_becomes_a_replacement_unverified() {
        assert_eq!(slice("🚀", 0, 1), "\u{FFFD}");
    }
}
