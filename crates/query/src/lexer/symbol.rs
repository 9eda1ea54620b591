//! The punctuation of the language.
//!
//! Owns the spelling of each symbol and the rule that the longest match wins.

/// A symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    /// `(`
    OpenParenthesis,
    /// `)`
    CloseParenthesis,
    /// `[`
    OpenBracket,
    /// `]`
    CloseBracket,
    /// `{`
    OpenBrace,
    /// `}`
    CloseBrace,
    /// `,`
    Comma,
    /// `.`
    Dot,
    /// `:`
    Colon,
    /// `?`
    Question,
    /// `??`
    QuestionQuestion,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `%`
    Percent,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`
    Tilde,
    /// `|`
    Bar,
    /// `||`
    BarBar,
    /// `&`
    Ampersand,
    /// `^`
    Caret,
    /// `=`
    Equal,
    /// `!=` or `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `<<`
    ShiftLeft,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `>>`
    ShiftRight,
    /// `>>>`
    ShiftRightUnsigned,
}

/// Longest spellings first, so that the first match is the right one.
const SPELLINGS: &[(&str, Symbol)] = &[
    (">>>", Symbol::ShiftRightUnsigned),
    (">>", Symbol::ShiftRight),
    (">=", Symbol::GreaterOrEqual),
    ("<<", Symbol::ShiftLeft),
    ("<=", Symbol::LessOrEqual),
    ("<>", Symbol::NotEqual),
    ("!=", Symbol::NotEqual),
    ("||", Symbol::BarBar),
    ("??", Symbol::QuestionQuestion),
    ("(", Symbol::OpenParenthesis),
    (")", Symbol::CloseParenthesis),
    ("[", Symbol::OpenBracket),
    ("]", Symbol::CloseBracket),
    ("{", Symbol::OpenBrace),
    ("}", Symbol::CloseBrace),
    (",", Symbol::Comma),
    (".", Symbol::Dot),
    (":", Symbol::Colon),
    ("?", Symbol::Question),
    ("*", Symbol::Star),
    ("/", Symbol::Slash),
    ("%", Symbol::Percent),
    ("+", Symbol::Plus),
    ("-", Symbol::Minus),
    ("~", Symbol::Tilde),
    ("|", Symbol::Bar),
    ("&", Symbol::Ampersand),
    ("^", Symbol::Caret),
    ("=", Symbol::Equal),
    ("<", Symbol::Less),
    (">", Symbol::Greater),
];

impl Symbol {
    /// Reads the symbol that a text starts with, and its length in bytes.
    pub(super) fn read(text: &str) -> Option<(Self, usize)> {
        let first = text.as_bytes().first()?;
        SPELLINGS
            .iter()
            .filter(|(spelling, _)| spelling.as_bytes().first() == Some(first))
            .find(|(spelling, _)| text.starts_with(spelling))
            .map(|(spelling, symbol)| (*symbol, spelling.len()))
    }
}
