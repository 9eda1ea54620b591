//! Search JSON text for delimiter bytes, eight bytes at a time.
//!
//! Owns the searches that dominate the time of parsing and skipping. Does not own the meaning of the bytes.

const fn repeated(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Marks the bytes of a word that equal `byte`. The high bit of the lowest equal byte is set, and no bit below it.
const fn equal_bytes(word: u64, byte: u8) -> u64 {
    // Subtracting 1 from each byte borrows into the high bit only where the byte was zero. Bits above the lowest match
    // may be wrong because of the borrow, but `find` only looks at the lowest one.
    let difference = word ^ repeated(byte);
    difference.wrapping_sub(repeated(0x01)) & !difference & repeated(0x80)
}

/// Marks the ends of a string and its escapes.
pub(super) fn quotes_and_escapes(word: u64) -> u64 {
    equal_bytes(word, b'"') | equal_bytes(word, b'\\')
}

/// Marks what cannot be copied from a string as it is: its end, escapes and control characters.
pub(super) fn string_breaks(word: u64) -> u64 {
    // A byte below 0x20 borrows into its high bit. `!word` drops bytes from 0x80 on, which keep the bit and are parts
    // of UTF-8 characters, not controls.
    let controls = word.wrapping_sub(repeated(0x20)) & !word & repeated(0x80);
    quotes_and_escapes(word) | controls
}

/// Marks the start of strings and both ends of arrays and objects.
pub(super) fn quotes_and_brackets(word: u64) -> u64 {
    // A bracket and a brace differ in one bit.
    let folded = word | repeated(b'{' ^ b'[');
    equal_bytes(word, b'"') | equal_bytes(folded, b'{') | equal_bytes(folded, b'}')
}

/// Returns the offset of the first marked byte. A mark is the high bit of a byte; `mark` must not set a bit below the
/// first byte searched for.
pub(super) fn find(bytes: &[u8], mark: impl Fn(u64) -> u64) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        // Little-endian on every machine, so that the first byte of the text is the lowest byte of the word.
        let marks = mark(u64::from_le_bytes(*word));
        if marks != 0 {
            return Some(index * 8 + marks.trailing_zeros() as usize / 8);
        }
    }
    // The missing bytes of the last word are letters, which are never marked.
    let mut last = [b'a'; 8];
    for (slot, byte) in last.iter_mut().zip(rest) {
        *slot = *byte;
    }
    let marks = mark(u64::from_le_bytes(last));
    (marks != 0).then(|| words.len() * 8 + marks.trailing_zeros() as usize / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Mark = fn(u64) -> u64;
    type IsSearched = fn(u8) -> bool;

    #[test]
    fn every_searched_byte_is_found_at_every_offset() {
        let searches: [(Mark, IsSearched); 3] = [
            (quotes_and_escapes, |byte| matches!(byte, b'"' | b'\\')),
            (string_breaks, |byte| matches!(byte, b'"' | b'\\' | 0..=0x1F)),
            (quotes_and_brackets, |byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']')),
        ];
        for (mark, is_searched) in searches {
            for byte in 0..=u8::MAX {
                for place in 0..20 {
                    let mut text = [b'a'; 20];
                    text[place] = byte;
                    assert_eq!(find(&text, mark), is_searched(byte).then_some(place), "{byte}");
                    // The bytes after a match must not hide it.
                    let after = text.get_mut(place + 1..).unwrap();
                    after.fill(byte.wrapping_add(1));
                    let first = (place..20).find(|place| is_searched(text[*place]));
                    assert_eq!(find(&text, mark), first, "{byte} and the next");
                }
            }
        }
    }
}
