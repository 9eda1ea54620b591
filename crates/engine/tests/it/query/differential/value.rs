//! Random JSON values: few, so that items, filters and keys meet; odd, so that encodings are put to the test.

use std::sync::LazyLock;

use model::Json;

use crate::account::json;
use crate::random::SeededRandom;

/// Scalars whose neighbours in order differ in type, in exactness, or only far behind their beginning.
static SCALARS: LazyLock<Vec<Json>> = LazyLock::new(|| {
    let mut scalars: Vec<Json> = [
        "null",
        "false",
        "true",
        "0",
        "-0.0",
        "1",
        "1.0",
        "1.5",
        "-1",
        "2",
        "3",
        "10",
        "1e-7",
        "9007199254740992",
        "9007199254740993",
        "9007199254740994.0",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "1e300",
        r#""""#,
        r#""a""#,
        r#""A""#,
        r#""ab""#,
        r#""abc""#,
        r#""b""#,
        r#""1""#,
        r#""null""#,
        r#""a\u0000""#,
        r#""a\u0000b""#,
        r#""\u0001""#,
        r#""é""#,
        r#""É""#,
        "\"\u{ffff}\"",
        "\"😀\"",
        "\"a😀b\"",
        r#""x%_[y]""#,
        r#""2024-01-31T00:00:00Z""#,
    ]
    .iter()
    .map(|text| json(text))
    .collect();
    scalars.extend(long_texts().into_iter().map(Json::from));
    scalars
});

/// Scalars that are asked for most.
const COMMON: [&str; 12] =
    ["null", "false", "true", "0", "1", "1.5", "2", "3", r#""a""#, r#""ab""#, r#""b""#, r#""""#];

static COMMON_SCALARS: LazyLock<Vec<Json>> =
    LazyLock::new(|| COMMON.iter().map(|text| json(text)).collect());

/// Arrays and objects, some of them equal in other words.
static STRUCTURES: LazyLock<Vec<Json>> = LazyLock::new(|| {
    [
        "[]",
        "[1]",
        "[1.0]",
        "[1,2]",
        "[2,1]",
        r#"["a"]"#,
        r#"["a","b"]"#,
        "[null]",
        "[[]]",
        "[[1]]",
        r#"[{"x":1}]"#,
        "{}",
        r#"{"x":1}"#,
        r#"{"x":1,"y":2}"#,
        r#"{"y":2,"x":1}"#,
        r#"{"x":"a"}"#,
        r#"{"x":null}"#,
        r#"{"x":[1]}"#,
        r#"{"x":{"y":1}}"#,
        r#"{"":1}"#,
    ]
    .iter()
    .map(|text| json(text))
    .collect()
});

/// Texts around the length at which an index cuts them off, alike up to there.
fn long_texts() -> Vec<String> {
    let shared = "l".repeat(1000);
    ["", "l", "lllllllllllllllllllllll", "llllllllllllllllllllllll", "llllllllllllllllllllllllll"]
        .iter()
        .flat_map(|more| ["", "a", "b"].map(|end| format!("{shared}{more}{end}")))
        .chain([format!("{}😀a", "l".repeat(1021)), format!("{}éb", "l".repeat(1023))])
        .collect()
}

/// Any scalar.
pub(super) fn scalar(random: &mut SeededRandom) -> Json {
    match random.weighted(&[70, 30]) {
        0 => random.pick(&COMMON_SCALARS).clone(),
        _ => random.pick(&SCALARS).clone(),
    }
}

/// Any value.
pub(super) fn any(random: &mut SeededRandom) -> Json {
    match random.weighted(&[85, 15]) {
        0 => scalar(random),
        _ => random.pick(&STRUCTURES).clone(),
    }
}

/// A number that is asked for often.
pub(super) fn number(random: &mut SeededRandom) -> Json {
    match random.weighted(&[80, 20]) {
        0 => Json::from(random.below(12) as i64),
        _ => json(random.pick::<&str>(&[
            "0.5",
            "1.0",
            "-3",
            "2.25",
            "-0.0",
            "1e15",
            "9007199254740993",
        ])),
    }
}

/// A text that is asked for often.
pub(super) fn text(random: &mut SeededRandom) -> Json {
    let texts = ["", "a", "b", "ab", "abc", "b", "ba", "A", "aB", "é", "😀", "x%_[y]", "a\u{0}b"];
    match random.weighted(&[90, 10]) {
        0 => Json::from(*random.pick(&texts)),
        _ => Json::from(random.pick(&long_texts()).as_str()),
    }
}
