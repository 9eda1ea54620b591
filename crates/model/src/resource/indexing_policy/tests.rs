//! Policies as clients send them, and the matcher against a naive reading of the rules.

use proptest::prelude::*;

use super::*;
use crate::{Json, Result};

fn read(text: &str) -> Result<IndexingPolicy> {
    IndexingPolicy::from_json(&Json::parse(text.as_bytes()).unwrap())
}

fn policy(included: &[&str], excluded: &[&str]) -> IndexingPolicy {
    let list = |paths: &[&str]| {
        let paths = paths.iter().map(|path| {
            let mut object = crate::Object::new();
            object.insert("path", *path);
            Json::Object(object)
        });
        Json::Array(paths.collect())
    };
    let mut object = crate::Object::new();
    object.insert("includedPaths", list(included));
    object.insert("excludedPaths", list(excluded));
    IndexingPolicy::from_json(&Json::Object(object)).unwrap()
}

#[test]
fn an_empty_policy_is_the_default_of_the_service() {
    let expected = concat!(
        r#"{"indexingMode":"consistent","automatic":true,"includedPaths":[{"path":"/*"}],"#,
        r#""excludedPaths":[{"path":"/\"_etag\"/?"}]}"#,
    );
    assert_eq!(read("{}").unwrap(), IndexingPolicy::default());
    assert_eq!(IndexingPolicy::default().to_json().to_string(), expected);
}

#[test]
fn what_the_client_leaves_out_is_added() {
    let echoed = |text| read(text).unwrap().to_json().to_string();
    assert!(echoed(r#"{"excludedPaths":[{"path":"/a/?"}]}"#).ends_with(
        r#""includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/a/?"},{"path":"/\"_etag\"/?"}]}"#
    ));
    assert!(echoed(r#"{"excludedPaths":[{"path":"/*"}]}"#).ends_with(
        r#""includedPaths":[],"excludedPaths":[{"path":"/*"},{"path":"/\"_etag\"/?"}]}"#
    ));
    assert!(
        echoed(r#"{"includedPaths":[{"path":"/"},{"path":"/_etag/?"}]}"#).ends_with(
            r#""includedPaths":[{"path":"/*"},{"path":"/_etag/?"}],"excludedPaths":[]}"#
        )
    );
    assert_eq!(
        echoed(r#"{"indexingMode":"none","automatic":true}"#),
        r#"{"indexingMode":"none","automatic":false,"includedPaths":[],"excludedPaths":[]}"#
    );
}

#[test]
fn legacy_indexes_of_a_path_are_dropped() {
    let text = concat!(
        r#"{"includedPaths":[{"path":"/*","#,
        r#""indexes":[{"kind":"Range","dataType":"Number","precision":-1}]}]}"#,
    );
    assert!(!read(text).unwrap().to_json().to_string().contains("indexes"));
}

#[test]
fn automatic_follows_from_the_mode_whatever_the_client_writes() {
    for written in ["true", "false"] {
        for (mode, returned) in [("consistent", "true"), ("none", "false")] {
            let text = echoed(&format!(r#"{{"indexingMode":"{mode}","automatic":{written}}}"#));
            assert!(text.contains(&format!(r#""automatic":{returned}"#)), "{mode}: {text}");
        }
    }
}

#[test]
fn the_mode_lazy_becomes_consistent() {
    assert!(echoed(r#"{"indexingMode":"Lazy"}"#).contains(r#""indexingMode":"consistent""#));
}

#[test]
fn every_kind_of_index_round_trips() {
    let text = concat!(
        r#"{"indexingMode":"consistent","automatic":true,"includedPaths":[{"path":"/*"},"#,
        r#"{"path":"/arr/[]/\"x y\"/?"}],"#,
        r#""excludedPaths":[{"path":"/a/*"},{"path":"/\"_etag\"/?"}],"#,
        r#""compositeIndexes":[[{"path":"/name","order":"ascending"},"#,
        r#"{"path":"/d/[]/n","order":"descending"}]],"#,
        r#""spatialIndexes":[{"path":"/g/*","types":["Point","Polygon"],"#,
        r#""boundingBox":{"xmin":0,"ymin":0.5,"xmax":10,"ymax":20}}],"#,
        r#""vectorIndexes":[{"path":"/v","type":"diskANN","quantizerType":"product","#,
        r#""quantizationByteSize":8,"indexingSearchListSize":50,"vectorIndexShardKey":["/c"]}],"#,
        r#""fullTextIndexes":[{"path":"/t"}]}"#,
    );
    assert_eq!(read(text).unwrap().to_json().to_string(), text);
}

#[test]
fn refusals_name_the_path_and_the_way_out() {
    let check = |text: &str, expected: &str| {
        let error = read(text).unwrap_err();
        assert!(error.message().contains(expected), "{error}");
    };
    check(
        r#"{"includedPaths":[{"path":"/a/?"}]}"#,
        "The special mandatory indexing path \"/\" is not provided in any of the path type sets.",
    );
    check(
        r#"{"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/*"}]}"#,
        "'/*' is both included and excluded",
    );
    check(
        r#"{"includedPaths":[{"path":"/*"},{"path":"/a/?"}],"excludedPaths":[{"path":"/\"a\"/?"}]}"#,
        "is both included and excluded",
    );
    check(
        r#"{"excludedPaths":[{"path":"/expiration"}]}"#,
        "The indexing path '/expiration' could not be accepted, failed near position '11'.",
    );
    check(r#"{"indexingMode":"eager"}"#, "'eager' is unknown");
    check(r#"{"indexingMode":"eager"}"#, "'eager' is unknown");
    check(r#"{"automatic":"yes"}"#, "true or false");
    check(r#"{"includedPaths":{}}"#, "an array");
    check(r#"{"includedPaths":[{}]}"#, "'path'");
    check(r#"{"spatialIndexes":[{"path":"/g/?","types":["Circle"]}]}"#, "\"Circle\" is unknown");
    check(
        r#"{"spatialIndexes":[{"path":"/g/?","boundingBox":{"xmin":1,"ymin":0,"xmax":1,"ymax":1}}]}"#,
        "The value of parameter 'xmax' must be greater than the value of parameter 'xmin' in 'boundingBox' for spatial \
         path '/g/?'",
    );
    check(
        r#"{"fullTextIndexes":[{"path":"abstract"}]}"#,
        "Full-text index specification at index (0) contains invalid path",
    );
    check(
        r#"{"fullTextIndexes":[{"not_path":"abstract"}]}"#,
        "Missing path in full-text index specification at index (0)",
    );
}

#[test]
fn composite_indexes_keep_their_limits() {
    let index = |paths: &[&str]| {
        let paths: Vec<_> = paths.iter().map(|path| format!(r#"{{"path":"{path}"}}"#)).collect();
        format!("[{}]", paths.join(","))
    };
    let policy =
        |indexes: &[String]| read(&format!(r#"{{"compositeIndexes":[{}]}}"#, indexes.join(",")));
    let letters = ["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h", "/i"];
    assert!(policy(&[index(&letters[..2])]).is_ok());
    assert!(policy(&[index(&letters[..8])]).is_ok());
    for bad in [
        index(&letters[..1]),
        index(&letters),
        index(&["/a", "/a"]),
        index(&["/a", "/b/*"]),
        index(&["/a", "/b/?"]),
        index(&["/a", "b"]),
    ] {
        assert!(policy(std::slice::from_ref(&bad)).is_err(), "{bad}");
    }
    assert!(policy(&vec![index(&letters[..2]); 100]).is_ok());
    assert!(policy(&vec![index(&letters[..2]); 101]).is_err());
}

#[test]
fn a_policy_has_at_most_1500_paths_per_list() {
    let paths = |count: usize| {
        let paths: Vec<_> = (0..count).map(|n| format!(r#"{{"path":"/p{n}/?"}}"#)).collect();
        read(&format!(
            r#"{{"includedPaths":[{}],"excludedPaths":[{{"path":"/*"}}]}}"#,
            paths.join(",")
        ))
    };
    assert!(paths(1500).is_ok());
    assert!(paths(1501).is_err());
}

#[test]
fn index_paths_print_as_sent_and_compare_by_meaning() {
    for text in ["/*", "/a/?", "/a/b/*", "/arr/[]/x/?", "/arr/[]/*", r#"/"x y"/?"#, "/my-name/?"] {
        assert_eq!(IndexPath::parse(text).unwrap().to_string(), text);
    }
    assert_eq!(IndexPath::parse("/").unwrap().to_string(), "/*");
    assert_eq!(IndexPath::parse(r#"/"a"/?"#), IndexPath::parse("/a/?"));
    for text in [
        "",
        "a",
        "/?",
        "/a",
        "/a/",
        "//?",
        "/a/*/b/?",
        "/a?",
        "/x y/?",
        "/\"a/?",
        "/\"a\"b/?",
        "/e/[]/{n, c}/?",
        "*",
    ] {
        assert!(IndexPath::parse(text).is_err(), "{text}");
    }
}

/// Follows a path like `a/[]/b` from the root.
fn state<'a>(matcher: &'a PathMatcher, path: &str) -> MatcherState<'a> {
    path.split('/').filter(|step| !step.is_empty()).fold(matcher.root(), |state, step| match step {
        "[]" => state.element(),
        name => state.property(name),
    })
}

#[test]
fn the_most_precise_path_wins() {
    let matcher = PathMatcher::new(&policy(
        &["/*", "/food/ingredients/nutrition/*", "/tags/[]/?", "/late/?"],
        &["/food/ingredients/*", "/late/*"],
    ));
    for (path, included) in [
        ("name", true),
        ("food/name", true),
        ("food/ingredients", false),
        ("food/ingredients/salt", false),
        ("food/ingredients/[]", false),
        ("food/ingredients/nutrition", true),
        ("food/ingredients/nutrition/fat/[]/x", true),
        ("tags/[]", true),
        ("late", true),
        ("late/deep", false),
        ("_etag", false),
        ("_etag/deep", true),
        ("id", true),
        ("_ts", true),
    ] {
        assert_eq!(state(&matcher, path).scalar_included(), included, "{path}");
    }
}

#[test]
fn a_scalar_path_covers_neither_elements_nor_children() {
    let matcher = PathMatcher::new(&policy(&["/a/?", "/b/[]/c/?"], &["/*"]));
    for (path, included) in [
        ("a", true),
        ("a/[]", false),
        ("a/x", false),
        ("b", false),
        ("b/c", false),
        ("b/[]/c", true),
        ("b/[]/c/[]", false),
        ("id", true),
        ("_ts", true),
        ("_etag", false),
    ] {
        assert_eq!(state(&matcher, path).scalar_included(), included, "{path}");
    }
    assert!(state(&matcher, "x").subtree_excluded());
    assert!(state(&matcher, "a/x").subtree_excluded());
    assert!(!state(&matcher, "b/[]").subtree_excluded());
    assert!(!matcher.root().subtree_excluded());
    assert!(state(&matcher, "a").explicitly_included());
    assert!(!state(&matcher, "id").explicitly_included());
    assert!(!state(&matcher, "x").explicitly_included());
}

#[test]
fn id_and_timestamp_cannot_be_excluded_and_mode_none_indexes_nothing() {
    let matcher = PathMatcher::new(&policy(&["/*"], &["/id/?", "/_ts/*"]));
    assert!(state(&matcher, "id").scalar_included());
    assert!(state(&matcher, "_ts").scalar_included());
    let none = PathMatcher::new(&IndexingPolicy::none());
    assert!(none.root().subtree_excluded());
    assert!(!state(&none, "id").scalar_included());
}

/// The rules, read naively: among the paths that cover the value, the longest wins, then `/?`.
fn specified(policy: &IndexingPolicy, value: &[IndexPathSegment]) -> bool {
    let always = ["id", "_ts"].map(|name| vec![IndexPathSegment::Property(name.to_owned())]);
    if always.iter().any(|path| path == value) {
        return true;
    }
    let included = policy.included.iter().map(|included| (&included.path, true));
    let excluded = policy.excluded.iter().map(|path| (path, false));
    let covering = included.chain(excluded).filter(|(path, _)| match path.ending() {
        PathEnding::Scalar => path.segments() == value,
        PathEnding::Subtree => value.starts_with(path.segments()),
    });
    let winner = covering
        .max_by_key(|(path, _)| (path.segments().len(), path.ending() == PathEnding::Scalar));
    winner.is_some_and(|(_, included)| included)
}

fn segment() -> impl Strategy<Value = IndexPathSegment> {
    prop_oneof![
        3 => "[ab]".prop_map(IndexPathSegment::Property),
        1 => prop_oneof![Just("id"), Just("_ts"), Just("x y"), Just("q\"\\")]
            .prop_map(|name| IndexPathSegment::Property(name.to_owned())),
        2 => Just(IndexPathSegment::AnyElement),
    ]
}

fn segments() -> impl Strategy<Value = Vec<IndexPathSegment>> {
    proptest::collection::vec(segment(), 1..5)
}

fn any_policy() -> impl Strategy<Value = IndexingPolicy> {
    let ending = prop_oneof![Just(PathEnding::Scalar), Just(PathEnding::Subtree)];
    let paths = proptest::collection::vec((segments(), ending, any::<bool>()), 0..10);
    (paths, any::<bool>()).prop_map(|(paths, root_included)| {
        let mut policy = IndexingPolicy { excluded: Vec::new(), ..IndexingPolicy::default() };
        if !root_included {
            policy.included.clear();
            policy.excluded.push(IndexPath::root());
        }
        for (segments, ending, included) in paths {
            let path = IndexPath::new(segments, ending);
            if policy.included.iter().any(|known| known.path == path)
                || policy.excluded.contains(&path)
            {
                continue;
            }
            match included {
                true => policy.included.push(IncludedPath::new(path)),
                false => policy.excluded.push(path),
            }
        }
        policy.add_defaults();
        policy
    })
}

fn walk<'a>(matcher: &'a PathMatcher, value: &[IndexPathSegment]) -> MatcherState<'a> {
    value.iter().fold(matcher.root(), |state, segment| match segment {
        IndexPathSegment::Property(name) => state.property(name),
        IndexPathSegment::AnyElement => state.element(),
    })
}

proptest! {
    #[test]
    fn a_policy_survives_its_wire_form(policy in any_policy()) {
        prop_assert_eq!(policy.validate(), Ok(()));
        let json = policy.to_json();
        prop_assert_eq!(IndexingPolicy::from_json(&json), Ok(policy));
        let text = json.to_string();
        prop_assert_eq!(Json::parse(text.as_bytes()).unwrap(), json);
    }

    #[test]
    fn index_paths_never_panic_and_round_trip(text in "[/ab\\[\\]*?\"\\\\ é]{0,10}") {
        if let Ok(path) = IndexPath::parse(&text) {
            let printed = IndexPath::new(path.segments().to_vec(), path.ending()).to_string();
            prop_assert_eq!(IndexPath::parse(&printed), Ok(path));
        }
    }

    #[test]
    fn the_matcher_follows_the_specification(policy in any_policy(), value in segments()) {
        let matcher = PathMatcher::new(&policy);
        let found = walk(&matcher, &value).scalar_included();
        prop_assert_eq!(found, specified(&policy, &value), "{} {:?}", policy.to_json(), value);
    }

    #[test]
    fn nothing_is_included_below_a_pruned_state(
        policy in any_policy(),
        above in segments(),
        below in proptest::collection::vec(segment(), 0..4),
    ) {
        let matcher = PathMatcher::new(&policy);
        if walk(&matcher, &above).subtree_excluded() {
            let value = [above, below].concat();
            prop_assert!(!specified(&policy, &value), "{} {:?}", policy.to_json(), value);
        }
    }
}
