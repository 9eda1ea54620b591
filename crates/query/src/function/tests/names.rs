//! The function names of the language, listed by hand: the registry must contain exactly these.

use std::collections::BTreeSet;

use crate::function::{Arity, FunctionFamily, lookup, registry};

const MATHEMATICAL: &str = "ABS ACOS ASIN ATAN ATN2 CEILING COS COT DEGREES EXP FLOOR INTADD INTBITAND \
    INTBITLEFTSHIFT INTBITNOT INTBITOR INTBITRIGHTSHIFT INTBITXOR INTDIV INTMOD INTMUL INTSUB LOG LOG10 \
    NUMBERBIN PI POWER RADIANS RAND ROUND SIGN SIN SQRT SQUARE TAN TRUNC";
const ARRAY: &str = "ARRAY_AVG ARRAY_CONCAT ARRAY_CONTAINS ARRAY_CONTAINS_ALL ARRAY_CONTAINS_ANY ARRAY_LENGTH \
    ARRAY_MAX ARRAY_MEDIAN ARRAY_MIN ARRAY_SLICE ARRAY_SUM CHOOSE OBJECTTOARRAY SETDIFFERENCE SETEQUAL \
    SETINTERSECT SETUNION";
const AGGREGATE: &str = "AVG COUNT MAX MIN SUM";
const STRING: &str = "CONCAT CONTAINS CONTAINS_ALL_CI CONTAINS_ALL_CS CONTAINS_ANY_CI CONTAINS_ANY_CS ENDSWITH \
    INDEX_OF LASTINDEXOF LEFT LENGTH LOWER LTRIM REGEXMATCH REPLACE REPLICATE REVERSE RIGHT RTRIM STARTSWITH \
    STRINGEQUALS STRINGJOIN STRINGSPLIT STRINGTOARRAY STRINGTOBOOLEAN SUBSTRING TOSTRING TRIM UPPER";
const DATE_TIME: &str = "AGO DATETIMEADD DATETIMEBIN DATETIMEDIFF DATETIMEFORMAT DATETIMEFROMPARTS DATETIMEPART \
    DATETIMETOTICKS DATETIMETOTIMESTAMP DAY GETCURRENTDATETIME GETCURRENTDATETIMESTATIC GETCURRENTTICKS \
    GETCURRENTTICKSSTATIC GETCURRENTTIMESTAMP GETCURRENTTIMESTAMPSTATIC IS_DATETIME MONTH NOW TICKSTODATETIME \
    TIMESTAMPTODATETIME YEAR";
const ITEM: &str = "DOCUMENTID";
const FULL_TEXT: &str =
    "FULLTEXTCONTAINS FULLTEXTCONTAINSALL FULLTEXTCONTAINSANY FULLTEXTSCORE RRF";
const CONDITIONAL: &str = "IIF";
const TYPE_CHECK: &str = "IS_ARRAY IS_BOOL IS_DEFINED IS_FINITE_NUMBER IS_INTEGER IS_NULL IS_NUMBER IS_OBJECT \
    IS_PRIMITIVE IS_STRING STRINGTONULL STRINGTONUMBER STRINGTOOBJECT";
const SPATIAL: &str = "ST_AREA ST_DISTANCE ST_INTERSECTS ST_ISVALID ST_ISVALIDDETAILED ST_WITHIN";
const VECTOR: &str = "VECTORDISTANCE";

const UNDOCUMENTED: &str = "COUNTIF HASH LASTSUBSTRINGAFTER LASTSUBSTRINGBEFORE MAKELIST MAKESET REGEXEXTRACT \
    REGEXEXTRACTALL SUBSTRINGAFTER SUBSTRINGBEFORE _FullTextScore _FullTextWordCount _STRUCTURALHASH \
    _TRY_ARRAY_CONTAINS _VectorScore";
const ALIASES: &str = "CONTAINSALLCI CONTAINSALLCS CONTAINSANYCI CONTAINSANYCS FULLTEXT_CONTAINS \
    FULLTEXT_CONTAINS_ALL FULLTEXT_CONTAINS_ANY INTMULTIPLY IS_BOOLEAN OBJECT_TO_ARRAY SET_DIFFERENCE SET_EQUAL \
    SET_INTERSECT SET_UNION STRING_EQUALS STRING_JOIN STRING_SPLIT STRING_TO_ARRAY STRING_TO_BOOLEAN \
    STRING_TO_NULL STRING_TO_NUMBER STRING_TO_OBJECT TO_STRING";

fn names(text: &str) -> BTreeSet<&str> {
    text.split_whitespace().collect()
}

#[test]
fn the_registry_holds_the_documented_functions() {
    let families = [
        (FunctionFamily::Mathematical, MATHEMATICAL, 36),
        (FunctionFamily::Array, ARRAY, 17),
        (FunctionFamily::Aggregate, AGGREGATE, 5),
        (FunctionFamily::String, STRING, 29),
        (FunctionFamily::DateTime, DATE_TIME, 22),
        (FunctionFamily::Item, ITEM, 1),
        (FunctionFamily::FullText, FULL_TEXT, 5),
        (FunctionFamily::Conditional, CONDITIONAL, 1),
        (FunctionFamily::TypeCheck, TYPE_CHECK, 13),
        (FunctionFamily::Spatial, SPATIAL, 6),
        (FunctionFamily::Vector, VECTOR, 1),
    ];
    for (family, expected, count) in families {
        let functions = registry().iter();
        let found: BTreeSet<&str> = functions
            .filter(|function| function.family == family && function.is_documented)
            .map(|function| function.name)
            .collect();
        assert_eq!(found, names(expected));
        assert_eq!(found.len(), count);
    }
    let documented = registry().iter().filter(|function| function.is_documented);
    assert_eq!(documented.count(), 136);
}

#[test]
fn the_registry_holds_what_clients_send_besides() {
    let undocumented: BTreeSet<&str> = registry()
        .iter()
        .filter(|function| !function.is_documented)
        .map(|function| function.name)
        .collect();
    assert_eq!(undocumented, names(UNDOCUMENTED));
    let aliases: BTreeSet<&str> =
        registry().iter().flat_map(|function| function.aliases).copied().collect();
    assert_eq!(aliases, names(ALIASES));
}

/// The names that clients send back in rewritten queries and resume filters.
#[test]
fn the_five_internal_names_bind() {
    for name in [
        "_FullTextScore",
        "_FullTextWordCount",
        "_VectorScore",
        "_TRY_ARRAY_CONTAINS",
        "IS_BOOLEAN",
    ] {
        assert!(lookup(name).is_some(), "{name}");
    }
}

#[test]
fn names_are_unique_and_found_in_any_case() {
    let mut seen = BTreeSet::new();
    for function in registry() {
        for name in std::iter::once(&function.name).chain(function.aliases) {
            assert!(seen.insert(name.to_ascii_uppercase()), "{name}");
            for spelling in [name.to_string(), name.to_lowercase(), name.to_uppercase()] {
                assert_eq!(lookup(&spelling).map(|found| found.name), Some(function.name));
            }
        }
    }
    assert!(lookup("NOSUCHFUNCTION").is_none());
    assert_eq!(lookup("is_boolean").unwrap().name, "IS_BOOL");
}

#[test]
fn arities_read_as_the_binding_error_says_them() {
    let arity = |name: &str| lookup(name).unwrap().arity();
    for (name, words) in [
        ("ABS", "1"),
        ("PI", "0"),
        ("STARTSWITH", "2 to 3"),
        ("CONCAT", "at least 2"),
        ("ARRAY_CONTAINS_ANY", "at least 2"),
        ("DATETIMEFROMPARTS", "3 to 7"),
        ("VECTORDISTANCE", "2 to 4"),
    ] {
        assert_eq!(arity(name).to_string(), words, "{name}");
    }
    assert_eq!(arity("LOG"), Arity { min: 1, max: Some(2) });
    assert!(!arity("LOG").allows(0) && arity("LOG").allows(2) && !arity("LOG").allows(3));
    assert!(arity("CONCAT").allows(100));
}
