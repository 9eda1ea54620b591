//! The reserved words.
//!
//! Owns the list and its case-insensitive lookup. Does not own contextual words (ALL, FIRST, LAST, NaN, Infinity):
//! those are identifiers that the parser recognises by position.

/// Declares each word once, as variant and spelling.
macro_rules! keywords {
    ($($variant:ident $spelling:literal,)*) => {
        /// A reserved word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Keyword { $($variant,)* }

        /// Every word with its upper-case spelling.
        const WORDS: &[(&str, Keyword)] = &[$(($spelling, Keyword::$variant),)*];
    };
}

keywords! {
    And "AND", Array "ARRAY", As "AS", Asc "ASC", Between "BETWEEN", By "BY", Case "CASE",
    Cast "CAST", Convert "CONVERT", Cross "CROSS", Desc "DESC", Distinct "DISTINCT", Else "ELSE",
    End "END", Escape "ESCAPE", Exists "EXISTS", False "FALSE", For "FOR", From "FROM",
    Group "GROUP", Having "HAVING", In "IN", Inner "INNER", Insert "INSERT", Into "INTO", Is "IS",
    Join "JOIN", Left "LEFT", Let "LET", Like "LIKE", Limit "LIMIT", Not "NOT", Null "NULL",
    Offset "OFFSET", On "ON", Or "OR", Order "ORDER", Outer "OUTER", Over "OVER", Rank "RANK",
    Right "RIGHT", Select "SELECT", Set "SET", Then "THEN", Top "TOP", True "TRUE", Udf "UDF",
    Undefined "UNDEFINED", Update "UPDATE", Value "VALUE", When "WHEN", Where "WHERE",
    With "WITH",
}

/// Length in bytes of the shortest and of the longest word.
const LENGTH_MIN: usize = 2;
const LENGTH_MAX: usize = 9;

impl Keyword {
    /// Finds the reserved word that a text spells, in any case.
    pub(crate) fn find(text: &str) -> Option<Self> {
        if !(LENGTH_MIN..=LENGTH_MAX).contains(&text.len()) {
            return None;
        }
        // Upper-cased on the stack: this runs for every name of a query, and `to_ascii_uppercase` would allocate.
        let mut upper = [0; LENGTH_MAX];
        let wanted = upper.get_mut(..text.len())?;
        wanted.copy_from_slice(text.as_bytes());
        wanted.make_ascii_uppercase();
        let wanted: &[u8] = wanted;
        // The list above is sorted, which a test checks.
        let index = WORDS.binary_search_by(|(spelling, _)| spelling.as_bytes().cmp(wanted)).ok()?;
        WORDS.get(index).map(|(_, word)| *word)
    }

    /// Whether the word is also accepted as a name.
    pub(crate) fn is_also_identifier(self) -> bool {
        matches!(self, Self::Let | Self::Rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_fifty_three_words_in_alphabetical_order() {
        assert_eq!(WORDS.len(), 53);
        assert!(WORDS.is_sorted_by_key(|(spelling, _)| *spelling));
        let lengths = || WORDS.iter().map(|(spelling, _)| spelling.len());
        assert_eq!((lengths().min(), lengths().max()), (Some(LENGTH_MIN), Some(LENGTH_MAX)));
    }

    #[test]
    fn words_are_found_in_any_case() {
        assert_eq!(Keyword::find("sElEcT"), Some(Keyword::Select));
        assert_eq!(Keyword::find("selects"), None);
        for (spelling, word) in WORDS {
            assert_eq!(Keyword::find(&spelling.to_lowercase()), Some(*word));
        }
    }
}
