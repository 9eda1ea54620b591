//! Random conditions.

use model::Json;

use super::expression;
use super::function;
use super::scope::{Kind, Path, Scope};
use super::text::Draw;
use crate::query::differential::value;

const COMPARISONS: [&str; 10] = ["=", "=", "=", "=", "!=", "<", "<=", ">", ">=", "<>"];
const CHECKS: [&str; 11] = [
    "IS_DEFINED",
    "IS_DEFINED",
    "IS_NULL",
    "IS_BOOL",
    "IS_NUMBER",
    "IS_STRING",
    "IS_ARRAY",
    "IS_OBJECT",
    "IS_PRIMITIVE",
    "IS_INTEGER",
    "IS_FINITE_NUMBER",
];
const SEARCHES: [&str; 4] = ["STARTSWITH", "CONTAINS", "ENDSWITH", "STRINGEQUALS"];
const PATTERNS: [&str; 14] =
    ["a%", "%b", "%", "a_", "ab", "_b%", "[ab]%", "%b%", "", "l%", "x!%!_[[]y]", "%é", "_", "a%b"];
const EXPRESSIONS: [&str; 9] = ["^a", "b$", "^ab$", "b", ".", "", "^[ab]+$", "(", "a|é"];

/// A condition; `depth` bounds how deep it nests.
pub(super) fn condition(draw: &mut Draw<'_>, scope: &Scope<'_>, depth: u32) -> String {
    if depth == 0 {
        return leaf(draw, scope);
    }
    match draw.random.weighted(&[45, 30, 16, 9]) {
        0 => leaf(draw, scope),
        1 => joined(draw, scope, depth, " AND "),
        2 => joined(draw, scope, depth, " OR "),
        _ => format!("NOT ({})", condition(draw, scope, depth - 1)),
    }
}

fn joined(draw: &mut Draw<'_>, scope: &Scope<'_>, depth: u32, operator: &str) -> String {
    let parts: Vec<String> = (0..2 + draw.random.below(2))
        .map(|_| format!("({})", condition(draw, scope, depth - 1)))
        .collect();
    parts.join(operator)
}

fn leaf(draw: &mut Draw<'_>, scope: &Scope<'_>) -> String {
    if draw.is_wide && draw.random.percent(10) {
        return function::condition(draw, scope);
    }
    let path = scope.path(draw.random);
    let has_item = scope.alias(Kind::Item).is_some();
    match draw.random.weighted(&[
        34,
        4,
        8,
        8,
        7,
        10,
        6,
        3,
        8,
        8,
        3,
        4,
        2,
        if has_item { 7 } else { 0 },
    ]) {
        0 => comparison(draw, &path),
        1 => reversed(draw, &path),
        2 => between(draw, &path),
        3 => one_of(draw, &path),
        4 => format!("{}({})", draw.random.pick(&CHECKS), path.text()),
        5 => search(draw, &path),
        6 => like(draw, &path),
        7 => regular_expression(draw, &path),
        8 => array(draw, scope, &path),
        9 => key(draw, scope),
        10 => path.text(),
        11 => computed(draw, scope, &path),
        12 => (*draw.random.pick(&["true", "false", "null", "1 = 1", "undefined"])).to_owned(),
        _ => exists(draw, scope),
    }
}

fn comparison(draw: &mut Draw<'_>, path: &Path) -> String {
    let operator = *draw.random.pick(&COMPARISONS);
    format!("{} {operator} {}", path.text(), draw.constant(&path.steps))
}

fn reversed(draw: &mut Draw<'_>, path: &Path) -> String {
    let operator = *draw.random.pick(&COMPARISONS);
    format!("{} {operator} {}", draw.constant(&path.steps), path.text())
}

fn between(draw: &mut Draw<'_>, path: &Path) -> String {
    let [low, high] = [(); 2].map(|()| draw.constant(&path.steps));
    let not = *draw.random.pick(&["", "", "", "NOT "]);
    format!("({} {not}BETWEEN {low} AND {high})", path.text())
}

fn one_of(draw: &mut Draw<'_>, path: &Path) -> String {
    let not = *draw.random.pick(&["", "", "", "NOT "]);
    format!("{} {not}IN ({})", path.text(), list(draw, &path.steps, 1))
}

fn list(draw: &mut Draw<'_>, steps: &str, least: u64) -> String {
    let count = least + draw.random.below(4);
    (0..count).map(|_| draw.constant(steps)).collect::<Vec<_>>().join(", ")
}

/// A text to look for; seldom something else.
fn wanted(draw: &mut Draw<'_>) -> String {
    if draw.random.percent(4) {
        return draw.constant("");
    }
    let text = value::text(draw.random);
    draw.passed(text)
}

fn search(draw: &mut Draw<'_>, path: &Path) -> String {
    let function = *draw.random.pick(&SEARCHES);
    let flag = *draw.random.pick(&["", "", "", ", true", ", false", ", 1"]);
    format!("{function}({}, {}{flag})", path.text(), wanted(draw))
}

fn like(draw: &mut Draw<'_>, path: &Path) -> String {
    let not = *draw.random.pick(&["", "", "", "NOT "]);
    let pattern = Json::from(*draw.random.pick(&PATTERNS));
    let escape = *draw.random.pick(&["", "", " ESCAPE '!'"]);
    format!("{} {not}LIKE {}{escape}", path.text(), draw.passed(pattern))
}

fn regular_expression(draw: &mut Draw<'_>, path: &Path) -> String {
    let expression = *draw.random.pick(&EXPRESSIONS);
    let flags = *draw.random.pick(&["", "", ", 'i'", ", 'q'"]);
    format!("REGEXMATCH({}, '{expression}'{flags})", path.text())
}

fn array(draw: &mut Draw<'_>, scope: &Scope<'_>, path: &Path) -> String {
    let list_path = match scope.alias(Kind::Item) {
        Some(item) if draw.random.percent(80) => {
            format!("{item}{}", draw.random.pick(&[".l", ".l", ".r", ".r[0].l"]))
        }
        _ => path.text(),
    };
    match draw.random.weighted(&[50, 25, 25]) {
        0 => {
            let flag = *draw.random.pick(&["", "", ", true", ", false"]);
            format!("ARRAY_CONTAINS({list_path}, {}{flag})", draw.constant(""))
        }
        1 => format!("ARRAY_CONTAINS([{}], {})", list(draw, &path.steps, 0), path.text()),
        _ => {
            let word = *draw.random.pick(&["ANY", "ALL"]);
            format!("ARRAY_CONTAINS_{word}({list_path}, {})", list(draw, "", 1))
        }
    }
}

/// A condition on the partition key.
fn key(draw: &mut Draw<'_>, scope: &Scope<'_>) -> String {
    let Some(path) = scope.key_path(draw.random) else { return "true".to_owned() };
    match draw.random.weighted(&[60, 25, 5, 5, 5]) {
        0 => format!("{} = {}", path.text(), draw.constant(&path.steps)),
        1 => one_of(draw, &path),
        2 => comparison(draw, &path),
        3 => format!("NOT IS_DEFINED({})", path.text()),
        _ => format!("IS_NULL({})", path.text()),
    }
}

fn computed(draw: &mut Draw<'_>, scope: &Scope<'_>, path: &Path) -> String {
    let path_text = path.text();
    match draw.random.weighted(&[2, 2, 2, 2, 2, 4]) {
        0 => format!("ABS({path_text}) = {}", draw.random.below(4)),
        1 => format!("LEFT({path_text}, {}) = {}", draw.random.below(3), wanted(draw)),
        2 => format!("UPPER({path_text}) = {}", wanted(draw)),
        3 => format!("LENGTH({path_text}) > {}", draw.random.below(3)),
        4 => format!("{path_text} = {}", scope.path(draw.random).text()),
        _ => {
            let expression = expression::expression(draw, scope, 1);
            format!(
                "{expression} {} {}",
                draw.random.pick(&COMPARISONS),
                draw.constant(&path.steps)
            )
        }
    }
}

/// EXISTS over a list of the item.
fn exists(draw: &mut Draw<'_>, scope: &Scope<'_>) -> String {
    let Some(item) = scope.alias(Kind::Item) else { return "true".to_owned() };
    let (list, kind) = *draw.random.pick(&[(".l", Kind::Value), (".r", Kind::Record)]);
    let alias = format!("e{}", scope.aliases.len());
    let inner = scope.with(&alias, kind);
    let filter = condition(draw, &inner, 1);
    let select = *draw.random.pick(&["VALUE 1", "*", "VALUE "]);
    let select = if select == "VALUE " { format!("VALUE {alias}") } else { select.to_owned() };
    format!("EXISTS(SELECT {select} FROM {alias} IN {item}{list} WHERE {filter})")
}
