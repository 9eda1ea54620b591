//! Random query texts that bind, and random items for them.

use model::Json;
use proptest::prelude::*;
use query::function::{FunctionBody, registry};

/// A value as items and constants hold it, from a small stock so that equal ones meet.
pub(crate) fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        (-3..4_i64).prop_map(Json::from),
        prop::sample::select(vec!["1.5", "-0.0", "1e300", "9007199254740993", "1.0"])
            .prop_map(parsed),
        prop::sample::select(vec!["", "a", "b", "A", "ab", "é", "🚀", "2024-01-31T00:00:00Z"])
            .prop_map(Json::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::Array),
            prop::collection::vec((prop::sample::select(vec!["a", "b", "x"]), inner), 0..3)
                .prop_map(object),
        ]
    })
}

/// An item with the properties the texts name; any of them may be missing.
pub(crate) fn item() -> impl Strategy<Value = Json> {
    let optional = || prop::option::weighted(0.8, value());
    let list = prop::option::of(prop::collection::vec(value(), 0..4).prop_map(Json::Array));
    (optional(), optional(), list).prop_map(|(a, b, l)| {
        let properties = [("a", a), ("b", b), ("l", l)];
        object(properties.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
    })
}

fn object(properties: Vec<(&'static str, Json)>) -> Json {
    let mut object = model::Object::new();
    for (name, value) in properties {
        object.insert(name, value);
    }
    Json::Object(object)
}

fn parsed(text: &str) -> Json {
    Json::parse(text.as_bytes()).expect("the text is JSON")
}

/// A query over the alias `c` and the elements of `c.l`; most of them bind.
pub(crate) fn query() -> impl Strategy<Value = String> {
    let scalar = scalar().boxed();
    let filter = prop::option::of(scalar.clone());
    let from = prop::sample::select(vec![
        "FROM c",
        "FROM c JOIN x IN c.l",
        "FROM c JOIN x IN c.l JOIN y IN c.l",
        "FROM c JOIN (SELECT VALUE z FROM z IN c.l WHERE z != null) AS x",
        "FROM (SELECT * FROM c WHERE c.a != 1) AS c",
        "FROM (SELECT DISTINCT c.a, c.b, c.l FROM c) AS c",
    ]);
    let tail = prop::sample::select(vec!["", "", "", "ORDER BY c.a", "ORDER BY c.a DESC, c.b"]);
    let window = prop::sample::select(vec!["", "", "OFFSET 1 LIMIT 2", "OFFSET 0 LIMIT 0"]);
    let head = prop::sample::select(vec!["", "", "DISTINCT", "TOP 2", "DISTINCT TOP 1"]);
    (
        head,
        prop::collection::vec(scalar, 1..3),
        any::<bool>(),
        from,
        filter,
        any::<bool>(),
        tail,
        window,
    )
        .prop_map(|(head, list, is_value, from, filter, is_grouped, tail, window)| {
            let select = if is_value {
                format!("VALUE {}", list.join(" ?? "))
            } else {
                let named = list.iter().enumerate().map(|(n, item)| format!("{item} AS n{n}"));
                named.collect::<Vec<_>>().join(", ")
            };
            let filter = filter.map(|filter| format!("WHERE {filter}")).unwrap_or_default();
            let group = if is_grouped { "GROUP BY c.a, c.b" } else { "" };
            format!("SELECT {head} {select} {from} {filter} {group} {tail} {window}")
        })
}

fn scalar() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => value().prop_map(|value| format!("({value})")),
        1 => prop::sample::select(vec!["undefined", "NaN", "Infinity", "@p"])
            .prop_map(str::to_owned),
        5 => prop::sample::select(vec!["c.a", "c.b", "c.l", "c", "c.a.x", "c.l[0]", "c[\"b\"].a"])
            .prop_map(str::to_owned),
        1 => prop::sample::select(vec!["COUNT(1)", "SUM(c.a)", "MIN(c.b)", "MAKESET(c.a)"])
            .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let operator = prop::sample::select(vec![
            "AND", "OR", "=", "!=", "<", ">=", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>",
            ">>>", "||", "??",
        ]);
        let unary = prop::sample::select(vec!["NOT ", "-", "+", "~"]);
        let list = || prop::collection::vec(inner.clone(), 1..4).prop_map(|list| list.join(", "));
        prop_oneof![
            4 => (inner.clone(), operator, inner.clone())
                .prop_map(|(left, operator, right)| format!("({left} {operator} {right})")),
            1 => (unary, inner.clone()).prop_map(|(unary, inner)| format!("({unary}({inner}))")),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(test, left, right)| format!("({test} ? {left} : {right})")),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(test, low, high)| format!("({test} BETWEEN {low} AND {high})")),
            1 => (inner.clone(), list())
                .prop_map(|(test, list)| format!("({test} NOT IN ({list}))")),
            1 => (inner.clone(), inner.clone())
                .prop_map(|(text, pattern)| format!("({text} LIKE {pattern} ESCAPE '!')")),
            1 => list().prop_map(|list| format!("[{list}]")),
            1 => inner.clone().prop_map(|inner| format!("{{k: {inner}}}.k")),
            4 => call(inner.clone().boxed()),
            1 => list().prop_map(|list| format!("udf.echo({list})")),
            2 => subquery(inner.boxed()),
        ]
    })
}

/// A call of any function of the registry with as many arguments as it takes.
fn call(argument: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    let functions: Vec<_> = registry()
        .iter()
        .filter(|function| matches!(function.body, FunctionBody::Scalar(_)))
        .collect();
    (prop::sample::select(functions), prop::collection::vec(argument, 7), 0..7_usize).prop_map(
        |(function, arguments, extra)| {
            let arity = function.arity();
            let most = arity.max.unwrap_or(arity.min + 2);
            let count = arity.min + extra % (most - arity.min + 1);
            let arguments: Vec<String> = arguments.into_iter().take(count).collect();
            format!("{}({})", function.name, arguments.join(", "))
        },
    )
}

fn subquery(inner: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec!["", "EXISTS", "ARRAY", "ALL", "FIRST", "LAST"]);
    let shape = prop::sample::select(vec![
        "SELECT VALUE ?",
        "SELECT VALUE ? FROM s IN c.l WHERE s != null",
        "SELECT DISTINCT VALUE [s, ?] FROM s IN c.l",
        "SELECT ? AS k FROM c.a AS s JOIN t IN c.l",
        "SELECT VALUE COUNT(1) FROM s IN c.l WHERE ?",
        "SELECT s AS k, COUNT(1) AS n FROM s IN c.l WHERE ? GROUP BY s",
    ]);
    (kind, shape, inner)
        .prop_map(|(kind, shape, inner)| format!("{kind}({})", shape.replacen('?', &inner, 1)))
}
