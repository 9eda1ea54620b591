//! Strings in the query text.
//!
//! Owns both kinds of quotes and the escapes. Doubling a quote does not escape it, and control characters must be
//! escaped.

/// The result of reading a string token.
pub(super) enum StringToken {
    /// A well-formed string: its value and its length in bytes, including the quotes.
    Valid(String, usize),
    /// A malformed string: its length in bytes up to the error.
    Invalid(usize),
}

/// Reads the string whose opening quote a text starts with.
pub(super) fn read_string(text: &str) -> StringToken {
    let mut rest = text.char_indices();
    let Some((_, quote)) = rest.next() else {
        return StringToken::Invalid(0);
    };
    let mut builder = StringBuilder::default();
    while let Some((at, character)) = rest.next() {
        match character {
            _ if character == quote => return StringToken::Valid(builder.finish(), at + 1),
            '\\' => match read_escape(&mut rest) {
                Some(Escape::Character(character)) => builder.push(character),
                Some(Escape::Unit(unit)) => builder.push_unit(unit),
                // After the wrong character, which is part of the invalid token.
                None => return StringToken::Invalid(rest.offset()),
            },
            // Control characters, line breaks included, must be written as escapes.
            '\0'..' ' => return StringToken::Invalid(at),
            _ => builder.push(character),
        }
    }
    StringToken::Invalid(text.len())
}

enum Escape {
    Character(char),
    /// `\uXXXX`: one UTF-16 code unit, which may be half of a surrogate pair.
    Unit(u16),
}

fn read_escape(rest: &mut std::str::CharIndices<'_>) -> Option<Escape> {
    let (_, character) = rest.next()?;
    Some(Escape::Character(match character {
        '\'' | '"' | '\\' | '/' => character,
        'b' => '\u{8}',
        'f' => '\u{C}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let mut unit = 0;
            for _ in 0..4 {
                // Four digits never exceed 16 bits.
                unit = unit * 16 + rest.next()?.1.to_digit(16)?;
            }
            return u16::try_from(unit).ok().map(Escape::Unit);
        }
        _ => return None,
    }))
}

/// Builds the value of a string. Two escaped surrogates that form a pair become one character; a lone surrogate becomes
/// the replacement character.
#[derive(Default)]
struct StringBuilder {
    text: String,
    /// A high surrogate that waits for its low surrogate.
    high: Option<u16>,
}

impl StringBuilder {
    fn push(&mut self, character: char) {
        self.flush();
        self.text.push(character);
    }

    fn push_unit(&mut self, unit: u16) {
        // A high surrogate is waiting: this unit either completes the pair, or the high one was alone.
        if let Some(high) = self.high.take() {
            if let Some(Ok(pair)) = char::decode_utf16([high, unit]).next()
                && (0xDC00..0xE000).contains(&unit)
            {
                self.text.push(pair);
                return;
            }
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
        match unit {
            0xD800..0xDC00 => self.high = Some(unit),
            _ => self
                .text
                .push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }

    fn flush(&mut self) {
        if self.high.take().is_some() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
    }

    fn finish(mut self) -> String {
        self.flush();
        self.text
    }
}
