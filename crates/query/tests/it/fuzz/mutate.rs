//! Mutations of a text, by tokens and by bytes, from one seed.

/// Fragments with a special meaning in the language.
const PIECES: &[&str] = &[
    "SELECT",
    "VALUE",
    "DISTINCT",
    "TOP 3",
    "FROM c",
    "JOIN x IN c.b",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "ORDER BY RANK",
    "OFFSET 1 LIMIT 2",
    "BETWEEN",
    "LIKE",
    "ESCAPE '!'",
    "IN (1, c.a)",
    "NOT",
    "??",
    "? 1 :",
    "EXISTS(SELECT VALUE 1)",
    "ARRAY(",
    "(SELECT * FROM c)",
    "udf.f(",
    "@p",
    "c[0]",
    "c[\"a\"]",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ",",
    ".",
    "*",
    "-",
    "-9223372036854775808",
    "9223372036854775808",
    "1e400",
    "0x1F",
    "NaN",
    "'\\u00e9'",
    "'\u{1F600}'",
    "\"",
    "--",
    ";",
    "\\",
    "COUNT(1)",
    "VectorDistance(c.b, [1])",
    "RRF(FullTextScore(c.a, 'x'), FullTextScore(c.a, 'y'), [1, -2])",
    "true",
    "null",
    "undefined",
];

/// Fragments that can be repeated many times.
const NESTED: &[&str] =
    &["+", "-", "~", "NOT", "1 + ", "1 AND NOT", "1 ?? - ", "1 ? 2 : ", "1 ? ", "1 LIKE", "(", "["];

/// Random numbers from a seed.
pub(super) struct Dice {
    state: u64,
}

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number below a bound; zero if the bound is zero.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        let bound = u64::try_from(bound.max(1)).expect("a length is below 2^64");
        usize::try_from(mixed % bound).expect("a remainder of a length is a length")
    }

    pub(super) fn pick<'list, T: ?Sized>(&mut self, list: &'list [impl AsRef<T>]) -> &'list T {
        list.get(self.below(list.len())).expect("the list is not empty").as_ref()
    }
}

/// Mutates a text by tokens, one to four times.
pub(super) fn by_tokens(text: &str, other: &str, dice: &mut Dice) -> String {
    let mut tokens = tokens(text);
    for _ in 0..=dice.below(4) {
        let at = dice.below(tokens.len());
        match dice.below(7) {
            0 if !tokens.is_empty() => drop(tokens.remove(at)),
            1 if !tokens.is_empty() => {
                let token = tokens.get(at).cloned().unwrap_or_default();
                tokens.insert(at, token);
            }
            2 if !tokens.is_empty() => {
                let with = dice.below(tokens.len());
                tokens.swap(at, with);
            }
            3 => {
                let foreign = self::tokens(other);
                let from = dice.below(foreign.len());
                let until = from + dice.below(foreign.len() - from.min(foreign.len()) + 1);
                let part = foreign.get(from..until).unwrap_or_default().to_vec();
                tokens.splice(at..at, part);
            }
            4 if !tokens.is_empty() => {
                if let Some(token) = tokens.get_mut(at) {
                    *token = dice.pick::<str>(PIECES).to_owned();
                }
            }
            5 => {
                // Up to the limits of nesting and a little beyond.
                let times = 1 << dice.below(10);
                let nested = std::iter::repeat_n(dice.pick::<str>(NESTED).to_owned(), times);
                tokens.splice(at..at, nested);
            }
            _ => tokens.insert(at, dice.pick::<str>(PIECES).to_owned()),
        }
    }
    // Tokens are usually separated; without spaces they merge into other tokens.
    tokens.join(if dice.below(8) == 0 { "" } else { " " })
}

/// A text changed by bytes, one to four times.
pub(super) fn by_bytes(text: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len());
        let byte = u8::try_from(dice.below(256)).expect("a number below 256 is a byte");
        match dice.below(5) {
            0 if !bytes.is_empty() => drop(bytes.remove(at)),
            1 => bytes.truncate(at),
            2 => bytes.insert(at, byte),
            3 => {
                let symbols = br#""'\{}[](),.:-+*/%=<>!?@ 01"#;
                bytes.insert(at, symbols.get(dice.below(symbols.len())).copied().unwrap_or(b' '));
            }
            _ => {
                if let Some(place) = bytes.get_mut(at) {
                    *place ^= 1 << (byte % 8);
                }
            }
        }
    }
    bytes
}

/// Words, strings and single symbols; spaces are left out.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut quote = None;
    for letter in text.chars() {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '@';
        match quote {
            Some(open) => {
                if let Some(last) = tokens.last_mut() {
                    last.push(letter);
                }
                if letter == open {
                    quote = None;
                }
            }
            None if letter.is_whitespace() => tokens.push(String::new()),
            None => {
                if letter == '"' || letter == '\'' {
                    quote = Some(letter);
                }
                match tokens.last_mut() {
                    Some(last) if is_word(letter) && last.chars().all(is_word) => last.push(letter),
                    _ => tokens.push(letter.to_string()),
                }
            }
        }
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}
