//! The query benchmarks on tiny data sets: the counts must keep their limits at every size. How fast is no question of
//! a test.

use benchmarks::{PeerFigure, QueryOptions, run_queries};

#[test]
fn every_query_touches_no_more_than_its_limit_at_every_size() {
    let kept = tempfile::tempdir().unwrap();
    let options = QueryOptions {
        items: vec![1_000, 2_000],
        rounds: 1,
        only: Vec::new(),
        data: Some(kept.path().to_path_buf()),
        program: env!("CARGO_BIN_EXE_benchmarks").into(),
    };
    let report = run_queries(&options).unwrap();
    let names: Vec<_> = report.counted.iter().map(|row| (row.name, row.items)).collect();
    let expected = ["1", "1b", "2", "2b", "3", "4"].map(|name| [(name, 1_000), (name, 2_000)]);
    assert_eq!(names, expected.concat());
    for row in &report.counted {
        assert!(row.counts_met, "{row:?}");
        let is_counting = row.name == "4";
        assert_eq!(row.items_loaded == 0, is_counting, "{row:?}");
        for value in [row.hot_us, row.anywhere_us, row.growth] {
            assert!(value.is_finite() && value > 0.0, "{row:?}");
        }
    }
    for row in &report.scans {
        assert!(
            matches!(row.engine, PeerFigure::MegabytesPerSecond(rate) if rate > 0.0),
            "{row:?}"
        );
    }
    assert_eq!((report.scans.len(), report.preparing.len()), (2, 3));
    let page = report.page();
    assert!(page.contains("| 5 | filter on a path without index | 1000 |"), "{page}");
    assert!(!page.contains("/tmp"), "{page}");
    let again = QueryOptions { items: vec![2_000], only: vec![4], ..options };
    let again = run_queries(&again).unwrap();
    assert!(again.counted.iter().all(|row| row.counts_met && row.items == 2_000), "a kept store");
}
