//! Checks on names: files, types, functions and the words of the glossary.

pub(super) mod banned;
pub(super) mod glossary_names;
pub(super) mod glossary_words;
pub(super) mod predicates;
pub(super) mod type_names;
