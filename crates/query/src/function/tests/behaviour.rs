//! Behaviour beyond the examples of one function: policies, and undocumented edge cases.

use model::PropertyPath;

use super::call::{evaluate, evaluate_in, parse_arguments, with_context};
use crate::value::Value;

fn check(cases: &[(&str, &str, &str)]) {
    for (name, arguments, result) in cases {
        assert_eq!(evaluate(name, arguments).to_string(), *result, "{name}({arguments})");
    }
}

/// Evaluates a call whose first argument is a property path.
fn evaluate_at(path: &str, name: &str, arguments: &str) -> Value {
    let paths = [Some(PropertyPath::parse(path).unwrap())];
    with_context(&paths, |context| evaluate_in(context, name, &parse_arguments(arguments)))
}

#[test]
fn the_embedding_of_the_path_chooses_the_measure() {
    let distance = |arguments| evaluate_at("/v", "VECTORDISTANCE", arguments).to_string();
    assert_eq!(distance("[0, 0, 0], [2, 3, 6]"), "7");
    assert_eq!(distance(r#"[1, 0, 0], [1, 0, 0], true, {"distanceFunction": "dotproduct"}"#), "1");
    assert_eq!(distance("[0, 0], [3, 4]"), "undefined");
    assert_eq!(distance(r#"[1, 0, 0], [1, 0, 0], true, {"distanceFunction": "x"}"#), "undefined");
    assert_eq!(distance("[1, 0, 0], [1, 0, 0], 1"), "undefined");
}

#[test]
fn a_zero_vector_has_no_angle_unverified() {
    check(&[("VECTORDISTANCE", "[0, 0], [1, 0]", "undefined")]);
}

#[test]
fn the_language_of_the_path_stems_its_text() {
    let contains = |arguments| evaluate_at("/german", "FULLTEXTCONTAINS", arguments);
    assert_eq!(contains("\"Die Häuser\", \"Haus\""), Value::Bool(true));
    assert_eq!(contains("\"the house\", \"the\""), Value::Bool(true));
}

#[test]
fn a_match_that_goes_back_too_often_is_given_up() {
    let arguments = format!("\"{}\", \"(a|b|ab)*(?>c)\"", "ab".repeat(80));
    assert_eq!(evaluate("REGEXMATCH", &arguments), Value::Undefined);
}

#[test]
fn modifiers_combine_and_repeat() {
    check(&[
        ("REGEXMATCH", r#""a\nb", "^b$""#, "false"),
        ("REGEXMATCH", r#""a\nb", "^b$", "m""#, "true"),
        ("REGEXMATCH", r#""a\nb", "a.b""#, "false"),
        ("REGEXMATCH", r#""a\nb", "a.b", "s""#, "true"),
        ("REGEXMATCH", r#""A\nB", "a.b", "issi""#, "true"),
        ("REGEXMATCH", r#""foobar", "foo(?=bar)""#, "true"),
        ("REGEXMATCH", r#""foobaz", "foo(?=bar)""#, "false"),
    ]);
}

#[test]
fn infinite_numbers_live_inside() {
    let infinity = [Value::from(f64::INFINITY)];
    let nan = [Value::from(f64::NAN)];
    with_context(&[], |context| {
        for (name, arguments, expected) in [
            ("IS_FINITE_NUMBER", &infinity, "false"),
            ("IS_FINITE_NUMBER", &nan, "false"),
            ("IS_NUMBER", &nan, "true"),
            ("IS_INTEGER", &infinity, "false"),
            ("TOSTRING", &infinity, "\"Infinity\""),
            ("TOSTRING", &nan, "\"NaN\""),
        ] {
            assert_eq!(evaluate_in(context, name, arguments).to_string(), expected, "{name}");
        }
    });
}

#[test]
fn samples_of_mathematics_hold() {
    check(&[
        ("COS", "14.78", "-0.59946542619465426"),
        ("SIN", "45.175643", "0.929607286611012"),
        ("TAN", "1.5707963267948966", "16331239353195370"),
        ("EXP", "10", "22026.465794806718"),
        ("COT", "124.1332", "-0.040311998371148884"),
    ]);
}

#[test]
fn undocumented_edges_of_text_unverified() {
    check(&[
        ("LEFT", "\"abc\", -1", "\"\""),
        ("RIGHT", "\"abc\", -1", "\"\""),
        ("SUBSTRING", "\"abc\", -1, 2", "\"ab\""),
        ("INDEX_OF", "\"abc\", \"a\", -1", "0"),
        ("INDEX_OF", "\"abc\", \"\", 9", "-1"),
        ("LASTINDEXOF", "\"abc\", \"a\", -1", "-1"),
        ("LASTINDEXOF", "\"abc\", \"\"", "3"),
        ("LOWER", "\"ÄÉ\"", "\"äé\""),
        ("UPPER", "\"straße\"", "\"STRASSE\""),
        ("REPLICATE", "\"a\", 1.5", "undefined"),
        ("REPLICATE", "\"\", 9223372036854775807", "\"\""),
        ("TOSTRING", "0.3333333333333333", "\"0.33333333333333331\""),
        ("CONTAINS", "\"abc\", \"B\", \"true\"", "undefined"),
        ("SUBSTRINGAFTER", "\"abc\", \"\"", "\"abc\""),
    ]);
}

#[test]
fn undocumented_edges_of_numbers_unverified() {
    check(&[
        ("INTADD", "9223372036854775807, 1", "undefined"),
        ("INTDIV", "-9223372036854775808, -1", "undefined"),
        ("INTBITLEFTSHIFT", "1, 64", "undefined"),
        ("INTBITLEFTSHIFT", "1, -1", "undefined"),
        ("ARRAY_SUM", "[]", "0"),
        ("POWER", "0, 0", "1"),
    ]);
}

#[test]
fn undocumented_edges_of_dates_unverified() {
    check(&[
        ("DATETIMEADD", "\"mm\", 1, \"2020-01-31\"", "\"2020-02-29T00:00:00.0000000Z\""),
        ("DATETIMEADD", "\"YYYY\", 1, \"2020-02-29\"", "\"2021-02-28T00:00:00.0000000Z\""),
        ("DATETIMEADD", "\"ns\", 150, \"2020-01-01\"", "\"2020-01-01T00:00:00.0000001Z\""),
        ("DATETIMEADD", "\"yyyy\", 8000, \"2020-01-01\"", "undefined"),
        ("DATETIMEBIN", "\"1969-12-31T12:00:00\", \"dd\"", "\"1969-12-31T00:00:00.0000000Z\""),
        (
            "DATETIMEBIN",
            "\"2020-02-10\", \"mm\", 1, \"2020-01-15\"",
            "\"2020-01-15T00:00:00.0000000Z\"",
        ),
        ("TICKSTODATETIME", "-116444736000000000", "\"1601-01-01T00:00:00.0000000Z\""),
        ("TICKSTODATETIME", "-116444736000000001", "undefined"),
        (
            "DATETIMEFORMAT",
            "\"2024-01-05 00:05:09.12\", \"h 'o''clock' t f FFFFFFF z zz zzz K\"",
            "\"12 oclock A 1 12 +0 +00 +00:00 Z\"",
        ),
    ]);
}
