//! Recorded responses with index metrics.

use model::IndexingPolicy;
use query::plan::access::Indexes;
use query::plan::metrics::{IndexMetrics, index_metrics};

use super::bound;

/// A query, the single indexes it uses, and the composite indexes that would help.
type Row = (&'static str, &'static [&'static str], &'static [&'static [&'static str]]);

fn report(text: &str) -> IndexMetrics {
    let (_, query) = bound(text);
    index_metrics(&query, &Indexes::new(&IndexingPolicy::default()))
}

#[test]
fn reports_match_the_recorded_responses() {
    let both: &'static [&'static [&'static str]] = &[&["/id ASC", "/name ASC"]];
    #[rustfmt::skip]
    let rows: &[Row] = &[
        ("SELECT * FROM r WHERE r.id = 1", &["/id/?"], &[]),
        ("SELECT * FROM r WHERE r.id = 1 AND r.name = 2", &["/name/?", "/id/?"], &[]),
        ("SELECT * FROM r WHERE r.id = 1 AND r.name > 2", &["/name/?", "/id/?"], both),
        ("SELECT * FROM r WHERE r.id > 1 AND r.name > 2", &["/name/?", "/id/?"], &[]),
        ("SELECT * FROM r WHERE r.id = 1 ORDER BY r.id", &["/id/?"], &[]),
        ("SELECT * FROM r WHERE r.id = 1 AND r.name = 2 ORDER BY r.id", &["/name/?"], &[]),
        ("SELECT * FROM r WHERE r.id = 1 AND r.name > 2 ORDER BY r.id",
            &["/name/?", "/id/?"], both),
        ("SELECT * FROM r WHERE r.id > 1 AND r.name > 2 ORDER BY r.id", &["/name/?"], &[]),
        ("SELECT COUNT(1) FROM r WHERE r.id = 1 AND r.name = 2 GROUP BY r.id",
            &["/name/?", "/id/?"], &[]),
        ("SELECT COUNT(1) FROM r WHERE r.id = 1 AND r.name > 2 GROUP BY r.id",
            &["/name/?", "/id/?"], both),
        ("SELECT COUNT(1) FROM r WHERE r.id > 1 AND r.name > 2 GROUP BY r.id",
            &["/name/?", "/id/?"], &[]),
        ("SELECT COUNT(1) FROM r WHERE r.id = 1 AND r.name > 2 GROUP BY r.id, r.name",
            &["/name/?", "/id/?"], both),
        ("SELECT COUNT(1) FROM r WHERE r.id > 1 AND r.name > 2 GROUP BY r.id, r.name",
            &["/name/?", "/id/?"], &[]),
        ("SELECT r.id FROM r WHERE r.id = 1 AND r.name = 2 GROUP BY r.id, r.name",
            &["/name/?", "/id/?"], both),
        ("SELECT r.id FROM r WHERE r.id = 1 GROUP BY r.id, r.name", &["/id/?"], &[]),
        ("SELECT VALUE STARTSWITH(r['x'], 's') FROM r", &["/x/?"], &[]),
        ("SELECT * FROM r WHERE r['Der schnelle Fuchs'] = 1", &["/\"Der schnelle Fuchs\"/?"], &[]),
        ("SELECT * FROM r WHERE r['ı'] = 1", &["/ı/?"], &[]),
    ];
    for (text, single, composite) in rows {
        let metrics = report(text);
        let found: Vec<&str> = metrics
            .utilized_single
            .iter()
            .flat_map(|index| &index.specs)
            .map(String::as_str)
            .collect();
        assert_eq!(found, *single, "{text}");
        let found: Vec<&[String]> =
            metrics.potential_composite.iter().map(|index| index.specs.as_slice()).collect();
        assert_eq!(found, *composite, "{text}");
        assert!(metrics.potential_single.is_empty() && metrics.utilized_composite.is_empty());
    }
}

#[test]
fn both_formats_have_their_members_in_order() {
    let metrics = report("SELECT * FROM r WHERE r.id = 1 AND r.name > 2");
    assert_eq!(
        metrics.to_json().to_string(),
        concat!(
            r#"{"UtilizedSingleIndexes":[{"FilterExpression":"","IndexSpec":"/name/?","#,
            r#""FilterPreciseSet":true,"IndexPreciseSet":true,"IndexImpactScore":"High"},"#,
            r#"{"FilterExpression":"","IndexSpec":"/id/?","FilterPreciseSet":true,"#,
            r#""IndexPreciseSet":true,"IndexImpactScore":"High"}],"PotentialSingleIndexes":[],"#,
            r#""UtilizedCompositeIndexes":[],"PotentialCompositeIndexes":[{"IndexSpecs":"#,
            r#"["/id ASC","/name ASC"],"IndexPreciseSet":false,"IndexImpactScore":"High"}]}"#,
        )
    );
    assert_eq!(
        metrics.to_json_v2().to_string(),
        concat!(
            r#"{"UtilizedIndexes":{"SingleIndexes":[{"IndexSpec":"/name/?"},{"IndexSpec":"/id/?"}],"#,
            r#""CompositeIndexes":[]},"PotentialIndexes":{"SingleIndexes":[],"CompositeIndexes":"#,
            r#"[{"IndexSpecs":["/id ASC","/name ASC"],"IndexImpactScore":"High"}]}}"#,
        )
    );
    assert!(metrics.to_header().starts_with("eyJVdGlsaXplZFNpbmdsZUluZGV4ZXMiOlt7"));
    assert!(metrics.to_header_v2().starts_with("%7B%22UtilizedIndexes%22%3A%7B"));
}

#[test]
fn an_existing_composite_index_is_used() {
    let (_, query) = bound("SELECT * FROM c WHERE c.id = 1 AND c.name > 2");
    let metrics = index_metrics(&query, &super::composite::indexes("id name-"));
    assert_eq!(metrics.utilized_composite[0].specs, ["/id ASC", "/name DESC"]);
    assert!(metrics.potential_composite.is_empty());
}

#[test]
fn a_path_that_is_not_indexed_would_help() {
    let (_, query) = bound("SELECT * FROM c WHERE c.a.b = 1");
    let metrics = index_metrics(&query, &Indexes::new(&IndexingPolicy::none()));
    assert_eq!(metrics.potential_single[0].specs, ["/a/b/?"]);
    assert!(metrics.utilized_single.is_empty());
}

#[test]
fn an_order_of_several_paths_proposes_its_directions() {
    let text = "SELECT * FROM c ORDER BY c.id DESC, c.name ASC";
    let (_, query) = bound(text);
    let specs = |indexes: &str| {
        let metrics = index_metrics(&query, &super::composite::indexes(indexes));
        (metrics.utilized_composite.len(), metrics.potential_composite.first().cloned())
    };
    let (found, proposed) = specs("id name");
    assert_eq!((found, proposed.unwrap().specs), (0, vec!["/id DESC".into(), "/name ASC".into()]));
    assert_eq!(specs("id- name"), (1, None));
    assert_eq!(specs("id name-"), (1, None), "read backwards");
}

#[test]
fn a_request_for_one_key_uses_the_paths_of_the_key() {
    let (_, query) = bound("SELECT * FROM c");
    let mut metrics = index_metrics(&query, &Indexes::new(&IndexingPolicy::default()));
    assert!(metrics.utilized_single.is_empty());
    let key = model::PartitionKeyDefinition::single("/pk").unwrap();
    metrics.add_partition_key(key.paths());
    metrics.add_partition_key(key.paths());
    assert_eq!(metrics.utilized_single.len(), 1, "once");
    assert_eq!(metrics.utilized_single[0].specs, ["/pk/?"]);
}

#[test]
fn a_long_report_leaves_out_proposals_and_stays_valid() {
    let long = |letter: &str| letter.repeat(10_000);
    let [a, b, c] = [long("a"), long("b"), long("c")];
    let one = report(&format!("SELECT * FROM r WHERE r.{a} = 0 AND r.{b} > 0"));
    assert!(one.to_header_v2().len() > 40_000, "one proposal fits");
    assert!(one.to_header_v2().contains("ASC"));
    let two = report(&format!("SELECT * FROM r WHERE r.{a} = 0 AND r.{b} > 0 AND r.{c} > 0"));
    assert_eq!(two.potential_composite.len(), 2);
    for header in [two.to_header(), two.to_header_v2()] {
        assert!(header.len() < 49_152, "{}", header.len());
    }
    assert!(two.to_header_v2().ends_with("%22CompositeIndexes%22%3A%5B%5D%7D%7D"));
}
