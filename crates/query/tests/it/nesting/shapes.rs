//! Every way to nest an expression in another.

/// The text before and after the inner expression.
pub(super) type Shape = (String, String);

const BINARY_OPERATORS: [&str; 20] = [
    "OR", "AND", "=", "!=", "<", "<=", ">", ">=", "<<", ">>", ">>>", "||", "|", "^", "&", "+", "-",
    "*", "/", "%",
];

/// Forms with one inner expression, with as few parentheses as possible.
#[rustfmt::skip]
const FORMS: &[(&str, &str)] = &[
    ("(", ")"),
    ("NOT ", ""), ("- ", ""), ("+", ""), ("~", ""),
    ("(NOT (", "))"), ("-(", ")"), ("(+", ")"), ("~(", ")"), ("NOT - + ~ ", ""),
    ("(", ").a"), ("(", ")[0]"), ("c[", "]"), ("c.a[", "].b[1]"), ("(1)[", "]"),
    ("(", " BETWEEN 1 AND 2)"), ("(1 BETWEEN ", " AND 2)"), ("(1 NOT BETWEEN 2 AND ", ")"),
    ("(", ") BETWEEN 1 AND 2"), ("1 BETWEEN 2 AND (", ")"),
    ("(", " IN (1, 2))"), ("1 IN (", ")"), ("(1 NOT IN (2, ", ", 3))"), ("(", ") IN (1)"),
    ("c.a AND c.b IN (", ")"), ("c.a AND c.b NOT IN (1, (", "))"),
    ("(", " LIKE 'x')"), ("c.a LIKE (", ")"), ("(c.a NOT LIKE ", " ESCAPE '!')"),
    ("(", " ?? 1)"), ("1 ?? (", ")"), ("1 ?? ", ""), ("(", ") ?? 1 ?? 2"), ("(1 ?? ", " ?? 2)"),
    ("1 ? ", " : 2"), ("(", " ? 1 : 2)"), ("1 ? 2 : (", ")"), ("1 ? 2 : ", ""), ("(1 ? ", " : 2)"),
    ("c.a ? c.b : (c.c ? ", " : 1)"),
    ("[", "]"), ("[1, (", ")]"), ("{a: ", "}"), ("{a: 1, 'b': -", "}"),
    ("ABS(", ")"), ("udf.f(1, ", ")"), ("-ABS(1 + ", ")"),
    ("(SELECT VALUE ", ")"), ("EXISTS(SELECT VALUE 1 WHERE ", ")"), ("ARRAY(SELECT VALUE ", ")"),
    ("ALL(SELECT VALUE ", ")"), ("FIRST(SELECT VALUE ", ")"), ("LAST(SELECT VALUE -", ")"),
    ("(SELECT VALUE x FROM (SELECT VALUE ", ") AS x)"),
    ("(SELECT x FROM x IN (SELECT VALUE ", "))"),
];

/// All shapes.
pub(super) fn all() -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    let mut add = |before: String, after: String| shapes.push((before, after));
    for (before, after) in FORMS {
        add((*before).to_owned(), (*after).to_owned());
    }
    for operator in BINARY_OPERATORS {
        add(format!("1 {operator} ("), ")".to_owned());
        add(format!("1 {operator} -("), ")".to_owned());
        add(format!("(1 {operator} "), ")".to_owned());
        add("(".to_owned(), format!(" {operator} 1)"));
        add("(".to_owned(), format!(") {operator} 1 {operator} 2"));
        add(format!("NOT c.a {operator} "), String::new());
    }
    shapes
}

/// Chains that are printed with parentheses around each operator: a few nested ones have more pairs than the parser
/// allows.
pub(super) fn long() -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    for operator in ["AND", "+", "*", "="] {
        shapes.push(("(".to_owned(), format!(" {operator} 1").repeat(990) + ")"));
    }
    shapes.push(("1 ?? ".repeat(400) + "(", ")".to_owned()));
    shapes.push(("1 ? 2 : ".repeat(400) + "(", ")".to_owned()));
    shapes
}
