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
    // Called while a query is bound, not per row, so the allocation does not matter.
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
    aggregate::DECLARE,
    array::CHOOSE,
    array::CONCAT,
    array::CONTAINS,
    array::CONTAINS_SEVERAL,
    array::EXTREME,
    array::LENGTH,
    array::OBJECT_TO_ARRAY,
    array::SET,
    array::SLICE,
    array::STATISTICS,
    conditional::IIF,
    date_time::ADD,
    date_time::BIN,
    date_time::CONVERT,
    date_time::CURRENT,
    date_time::DIFFERENCE,
    date_time::EXTRACT,
    date_time::FORMAT,
    date_time::FROM_PARTS,
    date_time::IS_DATE_TIME,
    full_text::CONTAINS,
    full_text::RANK_FUSION,
    full_text::SCORE,
    item::DOCUMENT_ID,
    item::HASH,
    mathematical::BITS,
    mathematical::CONSTANT,
    mathematical::EXPONENTIAL,
    mathematical::INTEGER,
    mathematical::NUMBER_BIN,
    mathematical::ROUNDING,
    mathematical::SIGN,
    mathematical::TRIGONOMETRY,
    spatial::AREA,
    spatial::DISTANCE,
    spatial::RELATION,
    spatial::VALIDITY,
    string::AFFIX,
    string::AROUND,
    string::CASE,
    string::CONCAT,
    string::CONTAINS,
    string::CUT,
    string::INDEX_OF,
    string::JOIN_SPLIT,
    string::PARSE,
    string::REGEX,
    string::REPEAT,
    string::REPLACE,
    string::TO_STRING,
    string::TRIM,
    type_check::KIND,
    type_check::NUMBER,
    vector::DISTANCE,
];
