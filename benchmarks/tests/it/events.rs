//! The benchmark of the event store on few events: every side must keep every event. How fast is no question of a test.

use benchmarks::{EventsOptions, run_events};

#[test]
fn every_side_appends_and_reads_every_event() {
    let report = run_events(&EventsOptions {
        sizes: vec![100, 200],
        measured_ms: 20,
        peers: None,
        with_postgres: true,
        note: "A test.".to_owned(),
    })
    .unwrap();
    for side in &report.sides {
        assert_eq!((side.appends.len(), side.tag_reads_ms.len()), (12, 2), "{side:?}");
        assert!(side.appends.iter().all(|value| *value > 0.0), "{side:?}");
        assert!(side.conditional.iter().all(|value| *value > 0.0), "{side:?}");
    }
    let ours = report.side("ours, embedded").unwrap();
    assert!(ours.live_ms.is_some() && ours.projected.is_some(), "{ours:?}");
    let page = report.page();
    assert!(page.contains("| events/s: read all |") && page.contains("umadb"), "{page}");
    assert!(!page.contains("/tmp"), "{page}");
}
