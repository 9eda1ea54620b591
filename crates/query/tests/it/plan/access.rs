//! Lookups for filters, in a short notation.

use model::{ComputedProperty, IndexPathSegment, IndexingPolicy, Json};
use query::plan::access::{AccessPlan, IndexOnly, Indexes, Lookup, OrderAccess, plan_access};
use query::plan::condition::{Cut, ValueKind, ValueRange, ValueSet};
use query::{BuiltInFunctions, ComputedProperties, Parameters, bind_with};

use super::bound;

fn plan(text: &str) -> AccessPlan {
    plan_with(text, &Indexes::new(&IndexingPolicy::default()))
}

fn plan_with(text: &str, indexes: &Indexes) -> AccessPlan {
    let (_, query) = bound(text);
    plan_access(&query, indexes).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn path(segments: &[IndexPathSegment]) -> String {
    let text = |segment: &IndexPathSegment| match segment {
        IndexPathSegment::Property(name) => format!("/{name}"),
        IndexPathSegment::AnyElement => "/[]".to_owned(),
    };
    segments.iter().map(text).collect()
}

/// A set in short notation: points, half-ranges of a kind, whole kinds, otherwise the number of ranges.
pub(super) fn values(set: &ValueSet) -> String {
    let mut parts: Vec<String> = set.ranges().iter().map(range).collect();
    if set.undefined {
        parts.insert(0, "undefined".to_owned());
    }
    parts.join(" ")
}

fn range(range: &ValueRange) -> String {
    if let Some(point) = range.as_point() {
        return point.to_string();
    }
    let kinds = [
        (ValueKind::Null, "null"),
        (ValueKind::Bool, "Booleans"),
        (ValueKind::Number, "numbers"),
        (ValueKind::String, "strings"),
        (ValueKind::Array, "arrays"),
        (ValueKind::Object, "objects"),
    ];
    for (kind, name) in kinds {
        match (range.low == kind.start(), range.high == kind.end()) {
            (true, true) => return name.to_owned(),
            (true, false) => match &range.high {
                Cut::Before(value) if ValueKind::from_json(value) == kind => {
                    return format!("<{value} {name}");
                }
                Cut::After(value) if ValueKind::from_json(value) == kind => {
                    return format!("<={value} {name}");
                }
                _ => {}
            },
            (false, true) => match &range.low {
                Cut::Before(value) if ValueKind::from_json(value) == kind => {
                    return format!(">={value} {name}");
                }
                Cut::After(value) if ValueKind::from_json(value) == kind => {
                    return format!(">{value} {name}");
                }
                _ => {}
            },
            (false, false) => {}
        }
    }
    let cut = |cut: &Cut| match cut {
        Cut::BeforeKind(kind) => format!("{kind:?}"),
        Cut::Before(value) => format!("{value}"),
        Cut::After(value) => format!("{value}+"),
        Cut::AfterPrefix(prefix) => format!("{prefix:?}*"),
        Cut::End => "end".to_owned(),
    };
    format!("{}..{}", cut(&range.low), cut(&range.high))
}

fn show(lookup: &Lookup) -> String {
    let list = |parts: &[Lookup]| parts.iter().map(show).collect::<Vec<_>>().join("; ");
    match lookup {
        Lookup::Nothing => "nothing".to_owned(),
        Lookup::Everything => "everything".to_owned(),
        Lookup::Path(condition) => {
            let test = if condition.test.is_some() { " if" } else { "" };
            format!("{} {}{test}", path(&condition.path), values(&condition.values))
        }
        Lookup::Composite(composite) => format!("composite {}", composite.index),
        Lookup::Intersection(parts) => format!("all({})", list(parts)),
        Lookup::Union(parts) => format!("any({})", list(parts)),
    }
}

/// Checks the lookup of a filter, and how many of its conjuncts remain to be evaluated.
#[track_caller]
fn check(filter: &str, lookup: &str, remaining: usize) {
    let plan = plan(&format!("SELECT * FROM c WHERE {filter}"));
    assert_eq!(show(&plan.lookup), lookup, "{filter}");
    assert_eq!(plan.remaining.len(), remaining, "{filter}");
}

#[test]
fn comparisons_are_ranges_of_one_kind() {
    check("c.x = 5", "/x 5", 0);
    check("5 < c.x", "/x >5 numbers", 0);
    check("c.x >= 'a'", "/x >=\"a\" strings", 0);
    check("c.x < true", "/x false", 0);
    check("c.x IN (3, 1, 2, 1)", "/x 1 2 3", 0);
    check("(c.x BETWEEN 1 AND 5)", "/x 1..5+", 0);
    check("c.x > 1 AND c.x < 5 AND c.x != 3", "/x 1+..3 3+..5", 0);
    check("c.x = 1 OR c.x > 4 OR c.x = 'a'", "/x 1 >4 numbers \"a\"", 0);
    check("c.x = 1 AND c.x = 2", "nothing", 0);
    check("c.x = [1]", "/x [1]", 1);
    check("c.x > [1]", "nothing", 0);
    check("c.x = undefined", "nothing", 0);
    check("c.x = c.y", "everything", 1);
    check("c.x < 1e400", "/x numbers", 0);
}

#[test]
fn negations_are_the_other_comparable_values() {
    check("c.x != 5", "/x null..5 5+..end", 0);
    check("NOT (c.x > 5)", "/x <=5 numbers", 0);
    check("NOT (c.x = 5 OR c.x = 6)", "/x null..5 5+..6 6+..end", 0);
    check("c.x NOT IN (5)", "/x null..5 5+..end", 0);
    check("NOT IS_DEFINED(c.x)", "/x undefined", 0);
    check("NOT IS_NUMBER(c.x)", "/x undefined null..Number String..end", 0);
    check("NOT (c.x AND c.y = 1)", "any(/x false; /y null..1 1+..end)", 0);
    check("c.x NOT LIKE 'a%'", "/x <\"a\" strings \"a\"*..Array", 0);
}

#[test]
fn types_are_ranges() {
    check("IS_NULL(c.x)", "/x null", 0);
    check("IS_BOOL(c.x)", "/x Booleans", 0);
    check("IS_NUMBER(c.x) OR IS_STRING(c.x)", "/x Number..Array", 0);
    check("IS_ARRAY(c.x)", "/x arrays", 0);
    check("IS_OBJECT(c.x)", "/x objects", 0);
    check("IS_PRIMITIVE(c.x)", "/x null..Array", 0);
    check("IS_DEFINED(c.x)", "/x null..end", 0);
    check("c.x", "/x true", 0);
}

#[test]
fn strings_are_ranges_or_scans() {
    check("STARTSWITH(c.x, 'ab')", "/x \"ab\"..\"ab\"*", 0);
    check("STARTSWITH(c.x, 'ab', true)", "/x strings if", 0);
    check("c.x LIKE 'ab%'", "/x \"ab\"..\"ab\"*", 0);
    check("c.x LIKE 'ab'", "/x \"ab\"", 0);
    check("c.x LIKE 'a_c%'", "/x \"a\"..\"a\"* if", 0);
    check("CONTAINS(c.x, 'b')", "/x strings if", 0);
    check("ENDSWITH(c.x, 'b')", "/x strings if", 0);
    check("RegexMatch(c.x, 'b+', 'i')", "/x strings if", 0);
    check("CONTAINS_ALL_CI(c.x, 'a', 'b')", "/x strings if", 0);
    check("NOT CONTAINS_ANY_CS(c.x, 'a')", "/x strings if", 0);
    check("CONTAINS_ANY_CI(c.x, 'a', c.y)", "everything", 1);
    check("STRINGEQUALS('a', c.x)", "/x \"a\"", 0);
    check("LEFT(c.x, 2) = 'ab'", "/x \"ab\"..\"ab\"*", 0);
    check("SUBSTRING(c.x, 0, 3) = 'ab'", "/x \"ab\"..\"ab\"*", 1);
    check("UPPER(c.x) = 'A'", "everything", 1);
    check("ABS(c.x) = 2", "/x -2 2", 0);
}

#[test]
fn elements_have_a_path_of_their_own() {
    check("ARRAY_CONTAINS(c.tags, 'a')", "/tags/[] \"a\"", 0);
    check(
        "ARRAY_CONTAINS(c.tags, {a: 1, b: {d: 2}}, true)",
        "all(/tags/[]/a 1; /tags/[]/b/d 2)",
        1,
    );
    check("ARRAY_CONTAINS_ANY(c.tags, 1, 2)", "/tags/[] 1 2", 0);
    check("ARRAY_CONTAINS_ALL(c.tags, 1, 2)", "all(/tags/[] 1; /tags/[] 2)", 0);
    check("c.tags[0] = 'a'", "/tags/[] \"a\"", 1);
    check("NOT ARRAY_CONTAINS(c.tags, 'a')", "everything", 1);
    check(
        "EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t.n = 1 AND t.m > 2)",
        "all(/tags/[]/n 1; /tags/[]/m >2 numbers)",
        1,
    );
    check("EXISTS(SELECT VALUE t FROM t IN c.tags)", "/tags/[] null..end", 1);
    check("NOT EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 1)", "everything", 1);
    let plan = plan("SELECT t FROM c JOIN t IN c.tags WHERE t.n = 1 AND c.x = 2");
    assert_eq!(show(&plan.lookup), "all(/tags/[]/n 1; /x 2)");
    assert_eq!(plan.remaining.len(), 1);
    let plan = super::access::plan("SELECT * FROM t IN c.tags WHERE NOT IS_DEFINED(t.n)");
    assert_eq!(show(&plan.lookup), "everything");
}

#[test]
fn and_intersects_what_is_indexed_and_or_needs_every_branch() {
    check("c.x > 1 AND c.y = 2 AND UPPER(c.z) = 'Z'", "all(/y 2; /x >1 numbers)", 1);
    check("c.x = 1 OR c.y = 2", "any(/x 1; /y 2)", 0);
    check("c.x = 1 OR UPPER(c.y) = 'Y'", "everything", 1);
    check("(c.x = 1 AND UPPER(c.y) = 'Y') OR c.z = 2", "any(/x 1; /z 2)", 1);
    check("c.a = 1 AND (c.x = 1 OR c.y = 2)", "all(/a 1; any(/x 1; /y 2))", 0);
}

#[test]
fn an_excluded_path_is_read_item_by_item() {
    let policy = r#"{"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/x/?"}]}"#;
    let policy = IndexingPolicy::from_json(&Json::parse(policy.as_bytes()).unwrap()).unwrap();
    let indexes = Indexes::new(&policy);
    let plan = plan_with("SELECT * FROM c WHERE c.x = 1 AND c.y = 2", &indexes);
    assert_eq!((show(&plan.lookup).as_str(), plan.remaining.len()), ("/y 2", 1));
    let plan = plan_with("SELECT * FROM c WHERE c.x = 1 OR c.y = 2", &indexes);
    assert_eq!((show(&plan.lookup).as_str(), plan.remaining.len()), ("everything", 1));
    let none = Indexes::new(&IndexingPolicy::none());
    let plan = plan_with("SELECT * FROM c WHERE c.y = 2", &none);
    assert_eq!((show(&plan.lookup).as_str(), plan.remaining.len()), ("everything", 1));
    check("c._self = 'a'", "everything", 1);
    check("c._etag = 'a'", "everything", 1);
    check("c._ts = 1", "/_ts 1", 0);
}

#[test]
fn resume_filters_are_one_range() {
    check("(true)", "everything", 0);
    check("((c.y = 1) AND (true))", "/y 1", 0);
    check("( c.x > \"B\" OR IS_ARRAY(c.x) OR IS_OBJECT(c.x) )", "/x \"B\"+..end", 0);
    check(
        "((c.y = 1) AND ( c.x > 5 OR IS_STRING(c.x) OR IS_ARRAY(c.x) OR IS_OBJECT(c.x) ))",
        "all(/y 1; /x 5+..end)",
        0,
    );
    check(
        "(c.x < 5 OR NOT IS_DEFINED(c.x) OR IS_NULL(c.x) OR IS_BOOLEAN(c.x))",
        "/x undefined null..5",
        0,
    );
    check("( NOT IS_DEFINED(c.x) )", "/x undefined", 0);
    check("( IS_DEFINED(c.x) )", "/x null..end", 0);
    check("((c.y = 1) AND false)", "nothing", 0);
    check("((c.y = 1) OR true)", "everything", 0);
    let plan = plan("SELECT * FROM c WHERE (c.x >= 5 OR IS_STRING(c.x)) ORDER BY c.x DESC");
    let OrderAccess::Path { is_reversed, values: set, .. } = plan.order else { panic!() };
    assert_eq!((is_reversed, values(&set).as_str()), (true, "5..Array"));
}

#[test]
fn orders_come_from_the_index_of_a_path() {
    let order = |text: &str| plan(text).order;
    assert_eq!(order("SELECT * FROM c"), OrderAccess::Unordered);
    assert!(matches!(
        order("SELECT * FROM c ORDER BY c.a.b"),
        OrderAccess::Path { is_reversed: false, .. }
    ));
    assert_eq!(order("SELECT c.a FROM c GROUP BY c.a ORDER BY c.a"), OrderAccess::Sorted);
    assert_eq!(order("SELECT * FROM c ORDER BY VectorDistance(c.v, [1])"), OrderAccess::Sorted);
    assert_eq!(order("SELECT * FROM c ORDER BY c.a[0]"), OrderAccess::Sorted);
}

#[test]
fn some_queries_need_no_item() {
    let only = |text: &str| plan(text).index_only;
    let x = || vec![IndexPathSegment::Property("x".to_owned())];
    assert_eq!(only("SELECT VALUE COUNT(1) FROM c WHERE c.x > 1"), Some(IndexOnly::Count));
    assert_eq!(only("SELECT VALUE COUNT(1) FROM c WHERE UPPER(c.x) = 'A'"), None);
    assert_eq!(only("SELECT VALUE COUNT(c.x) FROM c"), Some(IndexOnly::CountOf(x())));
    assert_eq!(
        only("SELECT VALUE MAX(c.x) FROM c"),
        Some(IndexOnly::Extreme { path: x(), is_greatest: true })
    );
    assert_eq!(only("SELECT DISTINCT VALUE c.x FROM c"), Some(IndexOnly::Distinct(vec![x()])));
    assert_eq!(
        only("SELECT c.x, COUNT(1) AS n FROM c GROUP BY c.x"),
        Some(IndexOnly::Groups(vec![x()]))
    );
    assert_eq!(only("SELECT c.x FROM c WHERE c.y = 1"), Some(IndexOnly::Values(vec![x()])));
    assert_eq!(only("SELECT c._rid FROM c"), None);
    assert_eq!(only("SELECT * FROM c"), None);
    assert_eq!(only("SELECT t FROM c JOIN t IN c.tags"), None);
}

/// A computed property has no terms, whatever the policy says: its expression is evaluated for each item, or planned in
/// its place if it is a path.
#[test]
fn computed_properties_are_planned_as_their_expressions() {
    let properties = [
        ("lower", "SELECT VALUE LOWER(c.name) FROM c"),
        ("short", "SELECT VALUE c.long.path FROM c"),
    ];
    let properties = properties.map(|(name, query)| ComputedProperty::new(name, query).unwrap());
    let computed = ComputedProperties::new(&properties).unwrap();
    let policy = r#"{"includedPaths":[{"path":"/*"},{"path":"/lower/?"}]}"#;
    let policy = IndexingPolicy::from_json(&Json::parse(policy.as_bytes()).unwrap()).unwrap();
    let plan = |text: &str| {
        let tree = query::parse(text).unwrap();
        let query = bind_with(&tree, &Parameters::new(), &BuiltInFunctions, &computed).unwrap();
        plan_access(&query, &Indexes::new(&policy)).unwrap()
    };
    let found = |text: &str| {
        let plan = plan(text);
        (show(&plan.lookup), plan.remaining.len())
    };
    let all = |remaining| ("everything".to_owned(), remaining);
    assert_eq!(found("SELECT * FROM c WHERE c.lower = 'a'"), all(1));
    assert_eq!(found("SELECT * FROM c WHERE IS_DEFINED(c.lower)"), all(1));
    let both = "SELECT * FROM c WHERE c.lower = 'a' AND c.name = 'A'";
    assert_eq!(found(both), ("/name \"A\"".to_owned(), 1));
    let short = "SELECT * FROM c WHERE c.short = 1";
    assert_eq!(found(short), ("/long/path 1".to_owned(), 0));
    assert_eq!(plan("SELECT * FROM c ORDER BY c.lower").order, OrderAccess::Sorted);
    assert_eq!(plan("SELECT * FROM c ORDER BY c.lower, c.b").order, OrderAccess::Sorted);
    let order = plan("SELECT * FROM c ORDER BY c.short").order;
    assert!(matches!(order, OrderAccess::Path { .. }));
    for text in [
        "SELECT DISTINCT VALUE c.lower FROM c",
        "SELECT c.lower, COUNT(1) AS n FROM c GROUP BY c.lower",
        "SELECT VALUE MAX(c.lower) FROM c",
        "SELECT c.lower FROM c",
    ] {
        assert_eq!(plan(text).index_only, None, "{text}");
    }
}
