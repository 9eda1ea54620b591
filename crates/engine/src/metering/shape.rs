//! The shape of a query text: the text without its values, so that queries that differ only in values are counted
//! together.
//!
//! Owns the rule: literals become `?`, lists of them `?, ...`, white space becomes one space. Names, parameters and
//! what is in brackets after a name stay. Works on any text, valid query or not.

/// The shape of a text.
pub(crate) fn shape(text: &str) -> String {
    let mut writer =
        ShapeWriter { shape: String::with_capacity(text.len()), before: LastToken::Start };
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if first.is_whitespace() => {
                writer.space();
                first.len_utf8()
            }
            // Comments are dropped: clients put request ids into them. They end where the lexer ends them.
            '-' if rest.starts_with("--") => rest.find(['\r', '\n']).unwrap_or(rest.len()),
            '\'' | '"' => {
                let length = string_length(rest, first);
                writer.value(rest.get(..length).unwrap_or(rest));
                length
            }
            _ if first.is_ascii_digit() => {
                let length =
                    word_length(rest, |other| other.is_ascii_alphanumeric() || other == '.');
                writer.value(rest.get(..length).unwrap_or(rest));
                length
            }
            _ if is_word(first) => {
                let length = word_length(rest, is_word);
                writer.word(rest.get(..length).unwrap_or(rest));
                length
            }
            _ => {
                writer.symbol(first);
                first.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    writer.shape.trim_end().to_owned()
}

/// The last token that was written, ignoring spaces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastToken {
    Start,
    /// A name, or the end of an expression that can be indexed.
    Indexable,
    /// A keyword.
    Keyword,
    Dot,
    /// A bracket that indexes the expression before it.
    Index,
    Other,
}

struct ShapeWriter {
    shape: String,
    before: LastToken,
}

impl ShapeWriter {
    fn space(&mut self) {
        if !self.shape.is_empty() && !self.shape.ends_with(' ') {
            self.shape.push(' ');
        }
    }

    fn value(&mut self, text: &str) {
        if self.before == LastToken::Index {
            // The name of a property or an array index is part of the path.
            self.shape.push_str(text);
        } else {
            let before = self.shape.trim_end();
            match before.strip_suffix(',').map(str::trim_end) {
                // A third value of a list, and all further ones: the shape does not depend on how many there are.
                Some(list) if list.ends_with("?, ...") => self.shape.truncate(list.len()),
                Some(list) if list.ends_with('?') => {
                    self.shape.truncate(list.len());
                    self.shape.push_str(", ...");
                }
                _ => self.shape.push('?'),
            }
        }
        self.before = LastToken::Other;
    }

    fn word(&mut self, word: &str) {
        let is_literal = ["true", "false", "null"].iter().any(|one| one.eq_ignore_ascii_case(word));
        if is_literal && self.before != LastToken::Dot {
            return self.value(word);
        }
        self.shape.push_str(word);
        self.before = match self.before {
            LastToken::Dot => LastToken::Indexable,
            _ if is_keyword(word) => LastToken::Keyword,
            _ => LastToken::Indexable,
        };
    }

    fn symbol(&mut self, symbol: char) {
        self.shape.push(symbol);
        self.before = match symbol {
            '.' => LastToken::Dot,
            '[' if self.before == LastToken::Indexable => LastToken::Index,
            ']' | ')' => LastToken::Indexable,
            _ => LastToken::Other,
        };
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '@'
}

/// Whether a bracket after this word begins an array instead of indexing it.
fn is_keyword(word: &str) -> bool {
    const WORDS: [&str; 13] = [
        "select", "value", "where", "and", "or", "not", "in", "between", "by", "like", "top",
        "limit", "offset",
    ];
    WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

fn word_length(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|character| !belongs(character)).unwrap_or(text.len())
}

/// Length of a string literal in bytes; up to the end if it is not closed.
fn string_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (index, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return index + character.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::shape;

    fn check(text: &str, expected: &str) {
        assert_eq!(shape(text), expected, "{text}");
        assert_eq!(shape(expected), expected, "a shape is its own shape");
    }

    #[test]
    fn values_are_taken_out_and_names_stay() {
        check("SELECT * FROM c WHERE c.a = 'x'", "SELECT * FROM c WHERE c.a = ?");
        check("SELECT  TOP 10 *\n FROM c  ", "SELECT TOP ? * FROM c");
        check(r#"SELECT c["a b"][0] FROM c"#, r#"SELECT c["a b"][0] FROM c"#);
        check("SELECT VALUE [1, 'b', @c] FROM c", "SELECT VALUE [?, ..., @c] FROM c");
        check("SELECT * FROM c WHERE c.x IN (1, 2,3)", "SELECT * FROM c WHERE c.x IN (?, ...)");
        check("SELECT * FROM c WHERE c.x IN ('a','b')", "SELECT * FROM c WHERE c.x IN (?, ...)");
        check("SELECT * FROM c1 WHERE c1.n2 > -1.5e3", "SELECT * FROM c1 WHERE c1.n2 > -?");
        check(
            "SELECT * FROM c WHERE c.on = TRUE AND c.true",
            "SELECT * FROM c WHERE c.on = ? AND c.true",
        );
        check(r"SELECT * FROM c WHERE c.q = 'it\'s' -- why", "SELECT * FROM c WHERE c.q = ?");
        check("SELECT * FROM c WHERE c.p = @p", "SELECT * FROM c WHERE c.p = @p");
        for line_end in ["\n", "\r", "\r\n"] {
            let text = format!("SELECT * -- request 7{line_end}FROM c");
            check(&text, "SELECT * FROM c");
            // The lexer reads the same words: a shape that drops more counts other queries together.
            assert!(::query::parse(&text).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn any_text_has_a_shape() {
        for text in ["", "'", "\"\\", "[", "ä'ö", "1", "--", "@", "c['"] {
            let once = shape(text);
            assert!(once.len() <= text.len() + 1, "{text}");
        }
    }
}
