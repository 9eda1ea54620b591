//! Random whole queries.

use super::condition::condition;
use super::expression::expression;
use super::order;
use super::scope::{Kind, Scope};
use super::text::Draw;

/// The clauses of a query.
#[derive(Default)]
struct Clauses {
    head: String,
    from: String,
    filter: String,
    group: String,
    order: String,
    window: String,
}

pub(super) fn query(draw: &mut Draw<'_>) -> String {
    let mut clauses = Clauses::default();
    let keys = draw.keys;
    let scope = from(draw, keys, &mut clauses);
    if draw.random.percent(80) {
        let depth = draw.random.weighted(&[50, 35, 15]) as u32;
        clauses.filter = format!("WHERE {}", condition(draw, &scope, depth));
    }
    let is_plain = scope.aliases.len() == 1 && scope.alias(Kind::Item) == Some("c");
    match draw.random.weighted(&[62, 20, 18]) {
        0 => rows(draw, &scope, is_plain, &mut clauses),
        1 => aggregates(draw, &scope, &mut clauses),
        _ => groups(draw, &scope, &mut clauses),
    }
    let Clauses { head, from, filter, group, order, window } = clauses;
    [head, from, filter, group, order, window]
        .into_iter()
        .filter(|clause| !clause.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// A query whose rows are of one item each, and name it.
pub(super) fn of_items(draw: &mut Draw<'_>) -> String {
    let aliases = vec![("c".to_owned(), Kind::Item)];
    let scope = Scope { aliases, keys: draw.keys, is_wide: draw.is_wide };
    let mut text = format!(
        "SELECT VALUE {{\"rid\": c._rid, \"row\": {}}} FROM c",
        scope.path(draw.random).text()
    );
    if draw.random.percent(70) {
        let depth = draw.random.weighted(&[50, 35, 15]) as u32;
        text.push_str(&format!(" WHERE {}", condition(draw, &scope, depth)));
    }
    if draw.random.percent(60) {
        text.push_str(&format!(" {}", order::order_by(draw, "c")));
    }
    text
}

fn from<'keys>(draw: &mut Draw<'_>, keys: &'keys [String], clauses: &mut Clauses) -> Scope<'keys> {
    let is_wide = draw.is_wide;
    let of = |alias: &str, kind| Scope { aliases: vec![(alias.to_owned(), kind)], keys, is_wide };
    let item = of("c", Kind::Item);
    let (text, scope) = match draw.random.weighted(&[70, 8, 6, 3, 3, 2, 2, 2, 2, 2]) {
        0 => ("FROM c".to_owned(), item),
        1 => ("FROM c JOIN x IN c.l".to_owned(), item.with("x", Kind::Value)),
        2 => ("FROM c JOIN y IN c.r".to_owned(), item.with("y", Kind::Record)),
        3 => (
            "FROM c JOIN y IN c.r JOIN z IN y.l".to_owned(),
            item.with("y", Kind::Record).with("z", Kind::Value),
        ),
        4 => (
            "FROM c JOIN x IN c.l JOIN y IN c.r".to_owned(),
            item.with("x", Kind::Value).with("y", Kind::Record),
        ),
        5 => ("FROM x IN c.l".to_owned(), of("x", Kind::Value)),
        6 => ("FROM x IN c.r".to_owned(), of("x", Kind::Record)),
        7 => ("FROM c.o AS o".to_owned(), of("o", Kind::Record)),
        8 => {
            let inner = condition(draw, &item.with("z", Kind::Value), 1);
            let text = format!("FROM c JOIN (SELECT VALUE z FROM z IN c.l WHERE {inner}) AS x");
            (text, item.with("x", Kind::Value))
        }
        _ => {
            let inner = condition(draw, &item, 1);
            (format!("FROM (SELECT * FROM c WHERE {inner}) AS c"), item)
        }
    };
    clauses.from = text;
    scope
}

/// A query whose rows are not tied to an item.
fn rows(draw: &mut Draw<'_>, scope: &Scope<'_>, is_plain: bool, clauses: &mut Clauses) {
    let distinct = if draw.random.percent(18) { "DISTINCT " } else { "" };
    let top = window(draw, clauses);
    let one_input = scope.aliases.len() == 1;
    let list = match draw.random.weighted(&[if one_input { 30 } else { 0 }, 25, 30, 15]) {
        0 => "*".to_owned(),
        1 => format!("VALUE {}", scope.path(draw.random).text()),
        2 => columns(draw, scope),
        _ => format!("VALUE {}", expression(draw, scope, 2)),
    };
    clauses.head = format!("SELECT {distinct}{top}{list}");
    let orders = if is_plain { 40 } else { 12 };
    if let Some(alias) = scope.alias(Kind::Item)
        && draw.random.percent(orders)
    {
        clauses.order = order::order_by(draw, alias);
    }
}

fn columns(draw: &mut Draw<'_>, scope: &Scope<'_>) -> String {
    let columns: Vec<String> = (0..1 + draw.random.below(3))
        .map(|number| {
            let value = if draw.random.percent(75) {
                scope.path(draw.random).text()
            } else {
                expression(draw, scope, 1)
            };
            format!("{value} AS f{number}")
        })
        .collect();
    columns.join(", ")
}

/// TOP, or OFFSET LIMIT, or neither.
fn window(draw: &mut Draw<'_>, clauses: &mut Clauses) -> String {
    match draw.random.weighted(&[70, 15, 15]) {
        0 => String::new(),
        1 => format!("TOP {} ", draw.random.below(12)),
        _ => {
            let (skip, take) = (draw.random.below(8), draw.random.below(12));
            clauses.window = format!("OFFSET {skip} LIMIT {take}");
            String::new()
        }
    }
}

fn aggregate(draw: &mut Draw<'_>, scope: &Scope<'_>) -> String {
    let function = *draw.random.pick(&["COUNT", "COUNT", "MIN", "MAX", "SUM", "AVG"]);
    let argument = match draw.random.weighted(&[20, 60, 20]) {
        0 => "1".to_owned(),
        1 => scope.path(draw.random).text(),
        _ => match scope.alias(Kind::Item) {
            Some(item) => format!("{item}{}", draw.random.pick(&[".n", ".n", ".s", ".a"])),
            None => expression(draw, scope, 1),
        },
    };
    format!("{function}({argument})")
}

/// One row for all.
fn aggregates(draw: &mut Draw<'_>, scope: &Scope<'_>, clauses: &mut Clauses) {
    clauses.head = match draw.random.weighted(&[30, 50, 20]) {
        0 => "SELECT VALUE COUNT(1)".to_owned(),
        1 => format!("SELECT VALUE {}", aggregate(draw, scope)),
        _ => {
            let [first, second] = [(); 2].map(|()| aggregate(draw, scope));
            format!("SELECT {first} AS g0, {second} AS g1")
        }
    };
}

/// One row for each group.
fn groups(draw: &mut Draw<'_>, scope: &Scope<'_>, clauses: &mut Clauses) {
    let keys: Vec<String> =
        (0..1 + draw.random.below(2)).map(|_| scope.path(draw.random).text()).collect();
    let mut columns: Vec<String> = Vec::new();
    for (number, key) in keys.iter().enumerate() {
        if draw.random.percent(85) {
            columns.push(format!("{key} AS f{number}"));
        }
    }
    for number in 0..draw.random.below(3) {
        columns.push(format!("{} AS g{number}", aggregate(draw, scope)));
    }
    let top = window(draw, clauses);
    let distinct = if draw.random.percent(8) { "DISTINCT " } else { "" };
    let list = match columns.as_slice() {
        [] => format!("VALUE {}", keys[0]),
        columns => columns.join(", "),
    };
    clauses.head = format!("SELECT {distinct}{top}{list}");
    clauses.group = format!("GROUP BY {}", keys.join(", "));
    if draw.random.percent(10) {
        clauses.order = format!("ORDER BY {}", keys[0]);
    }
}
