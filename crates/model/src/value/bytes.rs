//! Looking for bytes of JSON text, eight at a time.
//!
//! Owns the few searches that parsing and skipping spend their time in. Does not own what is found.

const fn repeated(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Marks the bytes of a word that are equal to one: the high bit of the lowest such byte is set, and none below it.
const fn equal_bytes(word: u64, byte: u8) -> u64 {
    let difference = word ^ repeated(byte);
    difference.wrapping_sub(repeated(0x01)) & !difference & repeated(0x80)
}

/// Marks the ends of a string and its escapes.
pub(super) fn quotes_and_escapes(word: u64) -> u64 {
    equal_bytes(word, b'"') | equal_bytes(word, b'\\')
}

/// Marks what cannot stand in a string as it is: its end, escapes and control characters.
pub(super) fn string_breaks(word: u64) -> u64 {
    let controls = word.wrapping_sub(repeated(0x20)) & !word & repeated(0x80);
    quotes_and_escapes(word) | controls
}

/// Marks the beginnings of strings and both ends of arrays and objects.
pub(super) fn quotes_and_brackets(word: u64) -> u64 {
    // A bracket and a brace differ in one bit.
    let folded = word | repeated(b'{' ^ b'[');
    equal_bytes(word, b'"') | equal_bytes(folded, b'{') | equal_bytes(folded, b'}')
}

/// The first byte that is marked. A mark is the high bit of a byte; none may stand below the first byte meant.
pub(super) fn find(bytes: &[u8], mark: impl Fn(u64) -> u64) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let marks = mark(u64::from_le_bytes(*word));
        if marks != 0 {
            return Some(index * 8 + marks.trailing_zeros() as usize / 8);
        }
    }
    // The missing bytes of the last word are letters, which are never marked.
    let mut last = [b'a'; 8];
    for (place, byte) in last.iter_mut().zip(rest) {
        *place = *byte;
    }
    let marks = mark(u64::from_le_bytes(last));
    (marks != 0).then(|| words.len() * 8 + marks.trailing_zeros() as usize / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Mark = fn(u64) -> u64;
    type IsMeant = fn(u8) -> bool;

    #[test]
    fn every_byte_is_found_at_every_place_and_no_other() {
        let searches: [(Mark, IsMeant); 3] = [
            (quotes_and_escapes, |byte| matches!(byte, b'"' | b'\\')),
            (string_breaks, |byte| matches!(byte, b'"' | b'\\' | 0..=0x1F)),
            (quotes_and_brackets, |byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']')),
        ];
        for (mark, is_meant) in searches {
            for byte in 0..=u8::MAX {
                for place in 0..20 {
                    let mut text = [b'a'; 20];
                    text[place] = byte;
                    assert_eq!(find(&text, mark), is_meant(byte).then_some(place), "{byte}");
                    // What lies after a byte that is meant does not hide it.
                    let after = text.get_mut(place + 1..).unwrap();
                    after.fill(byte.wrapping_add(1));
                    let first = (place..20).find(|place| is_meant(text[*place]));
                    assert_eq!(find(&text, mark), first, "{byte} and the next");
                }
            }
        }
    }
}
