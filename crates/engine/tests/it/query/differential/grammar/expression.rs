//! Random expressions for rows: total and exact, so that no order of evaluation shows.

use super::condition::condition;
use super::function;
use super::scope::{Kind, Scope};
use super::text::Draw;

/// An expression; `depth` bounds how deep it nests.
pub(super) fn expression(draw: &mut Draw<'_>, scope: &Scope<'_>, depth: u32) -> String {
    let path = scope.path(draw.random).text();
    if depth == 0 || draw.random.percent(65) {
        return path;
    }
    if draw.is_wide && draw.random.percent(10) {
        return function::value(draw, scope);
    }
    let inner = |draw: &mut Draw<'_>| expression(draw, scope, depth - 1);
    match draw.random.weighted(&[10, 10, 8, 8, 8, 8, 10, 8, 8, 6]) {
        0 => draw.constant(""),
        1 => format!("({path} {} {})", draw.random.pick(&["+", "-", "*"]), draw.random.below(4)),
        2 => format!("({} ?? {})", inner(draw), draw.constant("")),
        3 => format!("({} ? {} : {path})", condition(draw, scope, 0), inner(draw)),
        4 => format!("({path} || {})", draw.constant(".s")),
        5 => format!("[{}, {path}]", inner(draw)),
        6 => format!("{{\"k\": {}, \"m\": {path}}}", inner(draw)),
        7 => call(draw, &path),
        8 => subquery(draw, scope),
        _ => format!("({})", condition(draw, scope, 1)),
    }
}

fn call(draw: &mut Draw<'_>, path: &str) -> String {
    let function = *draw.random.pick(&[
        "UPPER",
        "LENGTH",
        "ARRAY_LENGTH",
        "TOSTRING",
        "IS_DEFINED",
        "REVERSE",
        "ABS",
        "FLOOR",
        "OBJECTTOARRAY",
        "DOCUMENTID",
    ]);
    format!("{function}({path})")
}

/// A subquery that never gives a second row where one is asked for.
fn subquery(draw: &mut Draw<'_>, scope: &Scope<'_>) -> String {
    let Some(item) = scope.alias(Kind::Item) else { return "1".to_owned() };
    let (list, kind) = *draw.random.pick(&[(".l", Kind::Value), (".r", Kind::Record)]);
    let alias = format!("e{}", scope.aliases.len());
    let inner = scope.with(&alias, kind);
    let filter = condition(draw, &inner, 0);
    let from = format!("FROM {alias} IN {item}{list} WHERE {filter}");
    match draw.random.weighted(&[4, 4, 2, 1, 1]) {
        0 => format!("ARRAY(SELECT VALUE {alias} {from})"),
        1 => format!("(SELECT VALUE COUNT(1) {from})"),
        2 => format!("ARRAY(SELECT DISTINCT VALUE {alias} {from})"),
        3 => format!("FIRST(SELECT VALUE {alias} {from})"),
        _ => format!("EXISTS(SELECT VALUE {alias} {from})"),
    }
}
