//! Functions on strings.
//!
//! Positions are UTF-16 code units throughout. Does not own words and languages: see `full_text`.

mod affix;
mod around;
mod case;
mod concat;
mod contains;
mod cut;
mod index_of;
mod join_split;
mod parse;
mod regex;
mod repeat;
mod replace;
mod to_string;
mod trim;

pub(super) use regex::{RegexPattern, compiled_bytes_max};

pub(super) use {
    affix::FUNCTIONS as AFFIX, around::FUNCTIONS as AROUND, case::FUNCTIONS as CASE,
    concat::FUNCTIONS as CONCAT, contains::FUNCTIONS as CONTAINS, cut::FUNCTIONS as CUT,
    index_of::FUNCTIONS as INDEX_OF, join_split::FUNCTIONS as JOIN_SPLIT,
    parse::FUNCTIONS as PARSE, regex::FUNCTIONS as REGEX, repeat::FUNCTIONS as REPEAT,
    replace::FUNCTIONS as REPLACE, to_string::FUNCTIONS as TO_STRING, trim::FUNCTIONS as TRIM,
};
