//! The list of all functions.
//!
//! Owns which functions exist and how they are found by name. Does not own their declarations: each file has its own.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::declaration::Function;
use super::{
    aggregate, array, conditional, date_time, full_text, item, mathematical, spatial, string,
    type_check, vector,
};

/// Every function, family by family.
#[must_use]
pub fn registry() -> &'static [Function] {
    &FUNCTIONS
}

/// Finds a function by its name or alias, in any case.
#[must_use]
pub fn lookup(name: &str) -> Option<&'static Function> {
    let index = INDEXES.get(&name.to_ascii_uppercase())?;
    FUNCTIONS.get(*index)
}

static FUNCTIONS: LazyLock<Vec<Function>> =
    LazyLock::new(|| DECLARATIONS.iter().flat_map(|family| family.iter().copied()).collect());

// Keys are upper case: names are case-insensitive.
static INDEXES: LazyLock<HashMap<String, usize>> = LazyLock::new(|| {
    let names = FUNCTIONS.iter().enumerate().flat_map(|(index, function)| {
        std::iter::once(&function.name)
            .chain(function.aliases)
            .map(move |name| (name.to_ascii_uppercase(), index))
    });
    names.collect()
});

/// The declarations of each file.
static DECLARATIONS: &[&[Function]] = &[
    aggregate::declare::FUNCTIONS,
    array::choose::FUNCTIONS,
    array::concat::FUNCTIONS,
    array::contains::FUNCTIONS,
    array::contains_several::FUNCTIONS,
    array::extreme::FUNCTIONS,
    array::length::FUNCTIONS,
    array::object_to_array::FUNCTIONS,
    array::set::FUNCTIONS,
    array::slice::FUNCTIONS,
    array::statistics::FUNCTIONS,
    conditional::iif::FUNCTIONS,
    date_time::add::FUNCTIONS,
    date_time::bin::FUNCTIONS,
    date_time::convert::FUNCTIONS,
    date_time::current::FUNCTIONS,
    date_time::difference::FUNCTIONS,
    date_time::extract::FUNCTIONS,
    date_time::format::FUNCTIONS,
    date_time::from_parts::FUNCTIONS,
    date_time::is_date_time::FUNCTIONS,
    full_text::contains::FUNCTIONS,
    full_text::rank_fusion::FUNCTIONS,
    full_text::score::FUNCTIONS,
    item::document_id::FUNCTIONS,
    item::hash::FUNCTIONS,
    mathematical::bits::FUNCTIONS,
    mathematical::constant::FUNCTIONS,
    mathematical::exponential::FUNCTIONS,
    mathematical::integer::FUNCTIONS,
    mathematical::number_bin::FUNCTIONS,
    mathematical::rounding::FUNCTIONS,
    mathematical::sign::FUNCTIONS,
    mathematical::trigonometry::FUNCTIONS,
    spatial::area::FUNCTIONS,
    spatial::distance::FUNCTIONS,
    spatial::relation::FUNCTIONS,
    spatial::validity::FUNCTIONS,
    string::affix::FUNCTIONS,
    string::around::FUNCTIONS,
    string::case::FUNCTIONS,
    string::concat::FUNCTIONS,
    string::contains::FUNCTIONS,
    string::cut::FUNCTIONS,
    string::index_of::FUNCTIONS,
    string::join_split::FUNCTIONS,
    string::parse::FUNCTIONS,
    string::regex::FUNCTIONS,
    string::repeat::FUNCTIONS,
    string::replace::FUNCTIONS,
    string::to_string::FUNCTIONS,
    string::trim::FUNCTIONS,
    type_check::kind::FUNCTIONS,
    type_check::number::FUNCTIONS,
    vector::distance::FUNCTIONS,
];
