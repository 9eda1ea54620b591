//! Functions on strings.
//!
//! Positions are UTF-16 code units throughout. Does not own words and languages: see `full_text`.

pub(super) mod affix;
pub(super) mod around;
pub(super) mod case;
pub(super) mod concat;
pub(super) mod contains;
pub(super) mod cut;
pub(super) mod index_of;
pub(super) mod join_split;
pub(super) mod parse;
pub(super) mod regex;
pub(super) mod repeat;
pub(super) mod replace;
pub(super) mod to_string;
pub(super) mod trim;

pub(super) use regex::RegexPattern;
