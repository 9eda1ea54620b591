//! What a pattern needs of the regex engine, from its text.
//!
//! Owns the list of what every engine understands in the same way. What is not on the list counts as not plain, which
//! costs speed and never correctness.

/// Letters that may follow a backslash in a plain pattern.
const PLAIN_ESCAPES: &[u8] = b"dDwWsSbBnrtfvAzxpP";

/// Letters of inline modifiers.
const MODIFIERS: &[u8] = b"imsx-";

/// Whether a pattern has no look-around, no back reference and nothing else that needs backtracking.
pub(super) fn is_plain(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        let is_plain = match byte {
            b'\\' => {
                at += 1;
                is_plain_escape(rest)
            }
            b'(' if rest.first() == Some(&b'?') => {
                is_plain_group(rest.get(1..).unwrap_or_default())
            }
            // A possessive quantifier, which does not give back what it has matched.
            b'*' | b'+' | b'?' | b'}' => rest.first() != Some(&b'+'),
            _ => true,
        };
        if !is_plain {
            return false;
        }
        at += 1;
    }
    true
}

fn is_plain_escape(rest: &[u8]) -> bool {
    match rest {
        // `\b{start}` is another assertion than `\b`.
        [b'b' | b'B', b'{', ..] => false,
        // The beginning and the end of a word, to some engines.
        [b'<' | b'>', ..] => false,
        [letter, ..] => PLAIN_ESCAPES.contains(letter) || letter.is_ascii_punctuation(),
        [] => false,
    }
}

/// Whether `(?` begins a group without capture, modifiers, or a group with a name.
fn is_plain_group(rest: &[u8]) -> bool {
    let letters = rest.iter().take_while(|byte| MODIFIERS.contains(byte)).count();
    match rest.get(letters..) {
        Some([b':' | b')', ..]) => true,
        Some([b'P', b'<', ..]) => letters == 0,
        _ => false,
    }
}

/// How deeply look-around, atomic groups and conditions are nested.
pub(super) fn lookaround_levels(pattern: &str) -> u32 {
    let bytes = pattern.as_bytes();
    let mut open: Vec<bool> = Vec::new();
    let (mut levels, mut levels_max, mut at) = (0_u32, 0, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'(' => {
                let looks = matches!(
                    bytes.get(at + 1..),
                    Some([b'?', b'=' | b'!' | b'<' | b'>' | b'(' | b'~', ..])
                );
                levels += u32::from(looks);
                levels_max = levels_max.max(levels);
                open.push(looks);
            }
            b')' => levels -= u32::from(open.pop().unwrap_or(false)),
            _ => {}
        }
        at += 1;
    }
    levels_max
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_patterns_are_told_from_those_that_need_backtracking() {
        for plain in
            ["", "a|b", r"^\d{2,3}\s*$", "(?i)a", "(?:a)(?P<name>b)", r"\(\\1", "(?ms:a.b)"]
        {
            assert!(is_plain(plain), "{plain}");
        }
        for other in [
            r"(a)\1",
            "(?=a)",
            "(?!a)",
            "(?<=a)b",
            "(?<n>a)",
            "(?>a)",
            "a++",
            r"\k<n>",
            r"\b{start}",
            "\\",
        ] {
            assert!(!is_plain(other), "{other}");
        }
    }

    #[test]
    fn levels_of_lookaround_are_counted() {
        for (pattern, levels) in [
            ("a", 0),
            ("(?=a)(?=b)", 1),
            ("(?=(?!a)b)", 2),
            (r"\((?=a)", 1),
            ("((?:(?=(?>a))))", 2),
        ] {
            assert_eq!(lookaround_levels(pattern), levels, "{pattern}");
        }
    }
}
