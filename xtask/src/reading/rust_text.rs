//! Splits Rust text into code, comments and literals, character by character.
//!
//! Owns: the small lexer that all checks on Rust files share. It knows comments (nested too), strings (escaped, raw,
//! byte), characters and lifetimes; enough to keep text and code apart.
//! Does not own: functions and their lengths; see `rust_function.rs`.

/// What a character belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CharKind {
    Code,
    Comment,
    Literal,
}

/// A Rust file with the kind of each character.
#[derive(Debug)]
pub(crate) struct RustText {
    chars: Vec<char>,
    kinds: Vec<CharKind>,
}

impl RustText {
    pub(crate) fn new(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let kinds = Lexer { chars: &chars, kinds: Vec::with_capacity(chars.len()) }.run();
        Self { chars, kinds }
    }

    /// The text where everything that is not code is blank. Lines and columns are those of the file.
    pub(crate) fn code(&self) -> String {
        self.only(CharKind::Code)
    }

    /// The text where everything but comments is blank.
    pub(crate) fn comments(&self) -> String {
        self.only(CharKind::Comment)
    }

    /// Each line as characters with their kinds, without the line ends.
    pub(crate) fn lines(&self) -> Vec<Vec<(char, CharKind)>> {
        let mut lines = vec![Vec::new()];
        for (&char, &kind) in self.chars.iter().zip(&self.kinds) {
            if char == '\n' {
                lines.push(Vec::new());
            } else if let Some(line) = lines.last_mut() {
                line.push((char, kind));
            }
        }
        if lines.last().is_some_and(Vec::is_empty) {
            lines.pop();
        }
        lines
    }

    fn only(&self, wanted: CharKind) -> String {
        let keep = |(&char, &kind): (&char, &CharKind)| {
            if kind == wanted || char == '\n' { char } else { ' ' }
        };
        self.chars.iter().zip(&self.kinds).map(keep).collect()
    }
}

struct Lexer<'a> {
    chars: &'a [char],
    kinds: Vec<CharKind>,
}

impl Lexer<'_> {
    fn run(mut self) -> Vec<CharKind> {
        while let Some(char) = self.peek(0) {
            match char {
                '/' if self.peek(1) == Some('/') => self.line_comment(),
                '/' if self.peek(1) == Some('*') => self.block_comment(),
                '"' => self.string(),
                '\'' => self.quote(),
                _ if char.is_alphanumeric() || char == '_' => self.word(),
                _ => self.take(1, CharKind::Code),
            }
        }
        self.kinds
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.kinds.len() + ahead).copied()
    }

    // The number of kinds is also the position of the lexer: both lists end up with one entry per character, and an
    // escape or a closing quote that the file cuts off cannot run past its end.
    fn take(&mut self, count: usize, kind: CharKind) {
        for _ in 0..count {
            if self.kinds.len() < self.chars.len() {
                self.kinds.push(kind);
            }
        }
    }

    fn line_comment(&mut self) {
        while self.peek(0).is_some_and(|char| char != '\n') {
            self.take(1, CharKind::Comment);
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => {
                    depth += 1;
                    self.take(2, CharKind::Comment);
                }
                (Some('*'), Some('/')) => {
                    depth -= 1;
                    self.take(2, CharKind::Comment);
                    if depth == 0 {
                        return;
                    }
                }
                (Some(_), _) => self.take(1, CharKind::Comment),
                (None, _) => return,
            }
        }
    }

    fn string(&mut self) {
        self.take(1, CharKind::Literal);
        while let Some(char) = self.peek(0) {
            // A backslash takes the next character with it, so `\"` does not close the string and `\\` does not
            // escape.
            let width = if char == '\\' { 2 } else { 1 };
            self.take(width, CharKind::Literal);
            if char == '"' {
                return;
            }
        }
    }

    /// A character literal, or the start of a lifetime or label.
    fn quote(&mut self) {
        let escaped = self.peek(1) == Some('\\');
        // `'a'` has its second quote two characters on, `'a` and `'label:` have none there. The lifetime's name is
        // then read as a word.
        if !escaped && self.peek(2) != Some('\'') {
            return self.take(1, CharKind::Code);
        }
        // The escaped character is skipped unseen: in `'\''` it is a quote. Longer escapes such as `'\u{7d}'` end at
        // the next quote.
        let first = if escaped { 3 } else { 2 };
        let mut width = first;
        while self.peek(width).is_some_and(|char| char != '\'') {
            width += 1;
        }
        self.take(width + 1, CharKind::Literal);
    }

    /// An identifier or a number, or the prefix of a raw or byte string.
    fn word(&mut self) {
        let mut width = 0;
        while self.peek(width).is_some_and(|char| char.is_alphanumeric() || char == '_') {
            width += 1;
        }
        let prefix: String = (0..width).filter_map(|ahead| self.peek(ahead)).collect();
        let mut hashes = 0;
        while self.peek(width + hashes) == Some('#') {
            hashes += 1;
        }
        let quoted = self.peek(width + hashes) == Some('"');
        match prefix.as_str() {
            // `r#type` has a hash but no quote after it: a raw identifier, which is code.
            "r" | "br" | "cr" if quoted => self.raw_string(width, hashes),
            "b" | "c" if quoted && hashes == 0 => {
                self.take(width, CharKind::Literal);
                self.string();
            }
            "b" if self.peek(width) == Some('\'') => {
                self.take(width, CharKind::Literal);
                self.quote();
            }
            _ => self.take(width, CharKind::Code),
        }
    }

    // No escapes here: only a quote with as many hashes as the opening one ends it.
    fn raw_string(&mut self, prefix: usize, hashes: usize) {
        self.take(prefix + hashes + 1, CharKind::Literal);
        while let Some(char) = self.peek(0) {
            let closing = char == '"' && (1..=hashes).all(|ahead| self.peek(ahead) == Some('#'));
            self.take(1, CharKind::Literal);
            if closing {
                return self.take(hashes, CharKind::Literal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RustText;

    fn check(text: &str, code: &str) {
        assert_eq!(RustText::new(text).code().trim_end(), code);
    }

    #[test]
    fn comments_and_literals_are_blanked() {
        check("a // b", "a");
        check("a /* b /* c */ d */ e", "a                   e");
        check(r#"a("x\"y") + b"#, r"a(      ) + b");
        check(r##"a(r#"x"y"#) + b"##, "a(        ) + b");
        check(r#"a(b"x")"#, "a(    )");
        check("a('{') + b('\\'') + c(b'}')", "a(   ) + b(    ) + c(    )");
        check("fn a<'a>(b: &'a str) {}", "fn a<'a>(b: &'a str) {}");
        check("'outer: loop {}", "'outer: loop {}");
        check("let r#type = r + 1;", "let r#type = r + 1;");
    }

    #[test]
    fn an_unfinished_literal_ends_with_the_file() {
        check("a \"b", "a");
        check("a /* b", "a");
        check("a r#\"b\"", "a");
    }

    #[test]
    fn comments_can_be_read_alone() {
        assert_eq!(RustText::new("a // b \"c\"\nd").comments(), "  // b \"c\"\n ");
    }
}
