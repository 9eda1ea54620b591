//! The documented functions and their numbers of arguments.
//!
//! Owns a plain table that stands in for the function registry. Does not own what the functions do.

use super::{Arity, FunctionCatalog, FunctionKind, Signature};

/// The functions of the reference, the undocumented ones that clients or rewritten queries use, and their aliases.
#[derive(Clone, Copy, Debug, Default)]
pub struct DocumentedFunctions;

impl FunctionCatalog for DocumentedFunctions {
    fn find(&self, name: &str) -> Option<Signature> {
        let canonical = ALIASES
            .iter()
            .find(|(alias, _)| alias.eq_ignore_ascii_case(name))
            .map_or(name, |(_, canonical)| canonical);
        let row = FUNCTIONS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(canonical));
        let (name, least, most) = *row?;
        let is_aggregate = AGGREGATES.contains(&name);
        Some(Signature {
            name,
            arity: Arity { least, most: (most != ANY).then_some(most) },
            kind: if is_aggregate { FunctionKind::Aggregate } else { FunctionKind::Scalar },
        })
    }
}

/// No upper end.
const ANY: usize = usize::MAX;

const AGGREGATES: &[&str] =
    &["AVG", "COUNT", "COUNTIF", "MAKELIST", "MAKESET", "MAX", "MIN", "SUM"];

/// Other spellings.
#[rustfmt::skip]
const ALIASES: &[(&str, &str)] = &[
    ("CONTAINSALLCI", "CONTAINS_ALL_CI"), ("CONTAINSALLCS", "CONTAINS_ALL_CS"),
    ("CONTAINSANYCI", "CONTAINS_ANY_CI"), ("CONTAINSANYCS", "CONTAINS_ANY_CS"),
    ("FULLTEXT_CONTAINS", "FULLTEXTCONTAINS"), ("FULLTEXT_CONTAINS_ALL", "FULLTEXTCONTAINSALL"),
    ("FULLTEXT_CONTAINS_ANY", "FULLTEXTCONTAINSANY"), ("INTMULTIPLY", "INTMUL"),
    ("IS_BOOLEAN", "IS_BOOL"), ("OBJECT_TO_ARRAY", "OBJECTTOARRAY"),
    ("SET_DIFFERENCE", "SETDIFFERENCE"), ("SET_EQUAL", "SETEQUAL"),
    ("SET_INTERSECT", "SETINTERSECT"), ("SET_UNION", "SETUNION"),
    ("STRING_EQUALS", "STRINGEQUALS"), ("STRING_JOIN", "STRINGJOIN"),
    ("STRING_SPLIT", "STRINGSPLIT"), ("STRING_TO_ARRAY", "STRINGTOARRAY"),
    ("STRING_TO_BOOLEAN", "STRINGTOBOOLEAN"), ("STRING_TO_NULL", "STRINGTONULL"),
    ("STRING_TO_NUMBER", "STRINGTONUMBER"), ("STRING_TO_OBJECT", "STRINGTOOBJECT"),
    ("TO_STRING", "TOSTRING"),
];

/// Name, least and most arguments, by family in the order of the reference.
#[rustfmt::skip]
const FUNCTIONS: &[(&str, usize, usize)] = &[
    // Mathematical.
    ("ABS", 1, 1), ("ACOS", 1, 1), ("ASIN", 1, 1), ("ATAN", 1, 1), ("ATN2", 2, 2),
    ("CEILING", 1, 1), ("COS", 1, 1), ("COT", 1, 1), ("DEGREES", 1, 1), ("EXP", 1, 1),
    ("FLOOR", 1, 1), ("INTADD", 2, 2), ("INTBITAND", 2, 2), ("INTBITLEFTSHIFT", 2, 2),
    ("INTBITNOT", 1, 1), ("INTBITOR", 2, 2), ("INTBITRIGHTSHIFT", 2, 2), ("INTBITXOR", 2, 2),
    ("INTDIV", 2, 2), ("INTMOD", 2, 2), ("INTMUL", 2, 2), ("INTSUB", 2, 2), ("LOG", 1, 2),
    ("LOG10", 1, 1), ("NUMBERBIN", 1, 2), ("PI", 0, 0), ("POWER", 2, 2), ("RADIANS", 1, 1),
    ("RAND", 0, 0), ("ROUND", 1, 1), ("SIGN", 1, 1), ("SIN", 1, 1), ("SQRT", 1, 1),
    ("SQUARE", 1, 1), ("TAN", 1, 1), ("TRUNC", 1, 1),
    // Array.
    ("ARRAY_AVG", 1, 1), ("ARRAY_CONCAT", 2, ANY), ("ARRAY_CONTAINS", 2, 3),
    ("ARRAY_CONTAINS_ALL", 2, ANY), ("ARRAY_CONTAINS_ANY", 2, ANY), ("ARRAY_LENGTH", 1, 1),
    ("ARRAY_MAX", 1, 1), ("ARRAY_MEDIAN", 1, 1), ("ARRAY_MIN", 1, 1), ("ARRAY_SLICE", 2, 3),
    ("ARRAY_SUM", 1, 1), ("CHOOSE", 2, ANY), ("OBJECTTOARRAY", 1, 3), ("SETDIFFERENCE", 2, 2),
    ("SETEQUAL", 2, 2), ("SETINTERSECT", 2, 2), ("SETUNION", 2, 2),
    // Aggregate.
    ("AVG", 1, 1), ("COUNT", 1, 1), ("MAX", 1, 1), ("MIN", 1, 1), ("SUM", 1, 1),
    // String.
    ("CONCAT", 2, ANY), ("CONTAINS", 2, 3), ("CONTAINS_ALL_CI", 2, ANY),
    ("CONTAINS_ALL_CS", 2, ANY), ("CONTAINS_ANY_CI", 2, ANY), ("CONTAINS_ANY_CS", 2, ANY),
    ("ENDSWITH", 2, 3), ("INDEX_OF", 2, 3), ("LASTINDEXOF", 2, 3), ("LEFT", 2, 2),
    ("LENGTH", 1, 1), ("LOWER", 1, 1), ("LTRIM", 1, 2), ("REGEXMATCH", 2, 3), ("REPLACE", 3, 3),
    ("REPLICATE", 2, 2), ("REVERSE", 1, 1), ("RIGHT", 2, 2), ("RTRIM", 1, 2),
    ("STARTSWITH", 2, 3), ("STRINGEQUALS", 2, 3), ("STRINGJOIN", 2, 2), ("STRINGSPLIT", 2, 2),
    ("STRINGTOARRAY", 1, 1), ("STRINGTOBOOLEAN", 1, 1), ("SUBSTRING", 3, 3), ("TOSTRING", 1, 1),
    ("TRIM", 1, 2), ("UPPER", 1, 1),
    // Date and time.
    ("AGO", 2, 2), ("DATETIMEADD", 3, 3), ("DATETIMEBIN", 2, 4), ("DATETIMEDIFF", 3, 3),
    ("DATETIMEFORMAT", 2, 2), ("DATETIMEFROMPARTS", 3, 7), ("DATETIMEPART", 2, 2),
    ("DATETIMETOTICKS", 1, 1), ("DATETIMETOTIMESTAMP", 1, 1), ("DAY", 1, 1),
    ("GETCURRENTDATETIME", 0, 0), ("GETCURRENTDATETIMESTATIC", 0, 0), ("GETCURRENTTICKS", 0, 0),
    ("GETCURRENTTICKSSTATIC", 0, 0), ("GETCURRENTTIMESTAMP", 0, 0),
    ("GETCURRENTTIMESTAMPSTATIC", 0, 0), ("IS_DATETIME", 1, 1), ("MONTH", 1, 1), ("NOW", 0, 2),
    ("TICKSTODATETIME", 1, 1), ("TIMESTAMPTODATETIME", 1, 1), ("YEAR", 1, 1),
    // Item.
    ("DOCUMENTID", 1, 1),
    // Full text.
    ("FULLTEXTCONTAINS", 2, 2), ("FULLTEXTCONTAINSALL", 2, ANY), ("FULLTEXTCONTAINSANY", 2, ANY),
    ("FULLTEXTSCORE", 2, ANY), ("RRF", 2, ANY),
    // Conditional.
    ("IIF", 3, 3),
    // Type checking.
    ("IS_ARRAY", 1, 1), ("IS_BOOL", 1, 1), ("IS_DEFINED", 1, 1), ("IS_FINITE_NUMBER", 1, 1),
    ("IS_INTEGER", 1, 1), ("IS_NULL", 1, 1), ("IS_NUMBER", 1, 1), ("IS_OBJECT", 1, 1),
    ("IS_PRIMITIVE", 1, 1), ("IS_STRING", 1, 1), ("STRINGTONULL", 1, 1),
    ("STRINGTONUMBER", 1, 1), ("STRINGTOOBJECT", 1, 1),
    // Spatial and vector.
    ("ST_AREA", 1, 1), ("ST_DISTANCE", 2, 2), ("ST_INTERSECTS", 2, 2), ("ST_ISVALID", 1, 1),
    ("ST_ISVALIDDETAILED", 1, 1), ("ST_WITHIN", 2, 2), ("VECTORDISTANCE", 2, 4),
    // Undocumented.
    ("COUNTIF", 1, 1), ("HASH", 1, 2), ("LASTSUBSTRINGAFTER", 2, 2),
    ("LASTSUBSTRINGBEFORE", 2, 2), ("MAKELIST", 1, 1), ("MAKESET", 1, 1),
    ("REGEXEXTRACT", 2, 4), ("REGEXEXTRACTALL", 2, 4), ("SUBSTRINGAFTER", 2, 2),
    ("SUBSTRINGBEFORE", 2, 2),
    // Of rewritten queries.
    ("_FULLTEXTSCORE", 2, ANY), ("_FULLTEXTWORDCOUNT", 1, 1), ("_TRY_ARRAY_CONTAINS", 2, 3),
    ("_VECTORSCORE", 2, ANY),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_a_hundred_and_thirty_six_documented_functions() {
        let first_undocumented = FUNCTIONS.iter().position(|(name, ..)| *name == "COUNTIF");
        assert_eq!(first_undocumented, Some(136));
    }

    #[test]
    fn every_name_and_alias_is_found_in_any_case() {
        for (name, ..) in FUNCTIONS {
            assert_eq!(DocumentedFunctions.find(&name.to_lowercase()).unwrap().name, *name);
        }
        for (alias, canonical) in ALIASES {
            assert_eq!(DocumentedFunctions.find(alias).unwrap().name, *canonical);
        }
        assert_eq!(DocumentedFunctions.find("BADFUNC"), None);
    }

    #[test]
    fn arity_is_worded_as_the_service_words_it() {
        let words = |name| DocumentedFunctions.find(name).unwrap().arity.to_string();
        assert_eq!(words("LOWER"), "1");
        assert_eq!(words("PI"), "0");
        assert_eq!(words("StartsWith"), "2 to 3");
        assert_eq!(words("concat"), "at least 2");
    }
}
