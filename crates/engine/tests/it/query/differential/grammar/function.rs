//! Random calls of functions over places, vectors and texts.

use super::scope::{Kind, Scope};
use super::text::Draw;

const PLACES: [&str; 4] = [
    r#"{"type":"Point","coordinates":[0,0]}"#,
    r#"{"type":"Point","coordinates":[1.5,1]}"#,
    r#"{"type":"Point","coordinates":[200,0]}"#,
    r#"{"type":"LineString","coordinates":[[0,0],[2,2]]}"#,
];
const AREAS: [&str; 3] = [
    r#"{"type":"Polygon","coordinates":[[[-1,-1],[1,-1],[1,1],[-1,1],[-1,-1]]]}"#,
    r#"{"type":"Polygon","coordinates":[[[0,0],[5,0],[5,5],[0,5],[0,0]]]}"#,
    r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,0]]]}"#,
];
const VECTORS: [&str; 4] = ["[1, 0, 0]", "[0, 2, -1]", "[1, 1]", "[]"];
const WORDS: [&str; 5] = ["red", "fox", "Red", "the", "red fox"];

/// A condition by a function that no index of ours serves.
pub(super) fn condition(draw: &mut Draw<'_>, scope: &Scope<'_>) -> String {
    let Some(item) = scope.alias(Kind::Item) else { return "true".to_owned() };
    let word = *draw.random.pick(&WORDS);
    match draw.random.weighted(&[3, 3, 3, 2, 3, 3, 2, 2]) {
        0 => {
            let metres = *draw.random.pick(&[1, 100_000, 300_000]);
            format!("ST_DISTANCE({item}.g, {}) < {metres}", draw.random.pick(&PLACES))
        }
        1 => format!("ST_WITHIN({item}.g, {})", draw.random.pick(&AREAS)),
        2 => format!("ST_INTERSECTS({item}.g, {})", draw.random.pick(&AREAS)),
        3 => format!("ST_ISVALID({item}.g)"),
        4 => {
            let vector = *draw.random.pick(&VECTORS);
            format!("VectorDistance({item}.v, {vector}) > {}", draw.random.below(2))
        }
        5 => format!("FullTextContains({item}.t, '{word}')"),
        6 => format!("FullTextContainsAll({item}.t, '{word}', 'fox')"),
        _ => format!("FullTextContainsAny({item}.t, '{word}', 'dog')"),
    }
}

/// A value of such a function.
pub(super) fn value(draw: &mut Draw<'_>, scope: &Scope<'_>) -> String {
    let Some(item) = scope.alias(Kind::Item) else { return "1".to_owned() };
    match draw.random.weighted(&[3, 2, 3, 2]) {
        0 => format!("ST_DISTANCE({item}.g, {})", draw.random.pick(&PLACES)),
        1 => format!("ST_ISVALIDDETAILED({item}.g)"),
        2 => format!("VectorDistance({item}.v, {})", draw.random.pick(&VECTORS)),
        _ => format!("FullTextContains({item}.t, '{}')", draw.random.pick(&WORDS)),
    }
}

/// A place as an item holds it; now and then none.
pub(in crate::query::differential) fn stored_place(
    random: &mut crate::random::SeededRandom,
) -> &'static str {
    match random.weighted(&[60, 30, 10]) {
        0 => random.pick::<&str>(&PLACES),
        1 => random.pick::<&str>(&AREAS),
        _ => random.pick::<&str>(&["null", r#"{"type":"Point"}"#, "3"]),
    }
}
