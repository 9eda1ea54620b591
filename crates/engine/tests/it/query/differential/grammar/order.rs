//! Random ORDER BY clauses: one path, or the paths of a composite index, or what no index serves.

use model::{CompositeOrder, IndexPathSegment};

use super::text::Draw;

const PATHS: [&str; 17] = [
    ".a",
    ".a",
    ".b",
    ".n",
    ".n",
    ".s",
    ".s",
    ".o.x",
    ".o",
    ".id",
    "._ts",
    ".l",
    ".l[0]",
    "._rid",
    ".missing",
    "[\"x y\"]",
    "[\"\"]",
];

/// An ORDER BY of properties of an item.
pub(super) fn order_by(draw: &mut Draw<'_>, alias: &str) -> String {
    let items = match draw.random.weighted(&[55, 40, 5]) {
        0 => single(draw, alias),
        1 => composite(draw, alias).unwrap_or_else(|| single(draw, alias)),
        _ => [single(draw, alias), single(draw, alias)].join(", "),
    };
    format!("ORDER BY {items}")
}

fn single(draw: &mut Draw<'_>, alias: &str) -> String {
    if draw.is_wide && draw.random.percent(12) {
        let path = *draw.random.pick(&[".low", ".twice", ".part", ".b"]);
        return format!("{alias}{path}{}", draw.random.pick(&["", " DESC"]));
    }
    let path = if draw.random.percent(8) {
        draw.random.pick(draw.keys).clone()
    } else {
        (*draw.random.pick(&PATHS)).to_owned()
    };
    format!("{alias}{path}{}", draw.random.pick(&["", " ASC", " DESC", " DESC"]))
}

/// The order of a composite index, or its reverse, or seldom something near it.
fn composite(draw: &mut Draw<'_>, alias: &str) -> Option<String> {
    if draw.composites.is_empty() {
        return None;
    }
    let index = draw.random.pick(draw.composites);
    let is_reversed = draw.random.percent(40);
    let mut items = Vec::new();
    for path in &index.paths {
        let steps: Option<String> = path.path.segments().iter().map(step).collect();
        let is_descending = (path.order == CompositeOrder::Descending) != is_reversed;
        let is_descending = is_descending != draw.random.percent(3);
        items.push(format!("{alias}{} {}", steps?, if is_descending { "DESC" } else { "ASC" }));
    }
    Some(items.join(", "))
}

fn step(segment: &IndexPathSegment) -> Option<String> {
    match segment {
        IndexPathSegment::Property(name) => Some(format!("[\"{name}\"]")),
        IndexPathSegment::AnyElement => None,
    }
}
