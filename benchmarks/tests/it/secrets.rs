//! The load benchmark of the tracker on few workloads: both sides must migrate every workload, and a page of the pending
//! list must cost the same beside the finished ones. How fast is no question of a test.

use benchmarks::{SecretsOptions, run_secrets};

#[test]
fn both_sides_migrate_every_workload_and_the_pending_list_stays_as_cheap() {
    let report = run_secrets(&SecretsOptions {
        sizes: vec!["1x200".parse().unwrap()],
        workers: 16,
        with_peer: true,
        note: "A test.".to_owned(),
    })
    .unwrap();
    let result = &report.results[0];
    assert!(result.ours.rollbacks.percentile_ms(99).is_some_and(f64::is_finite), "{result:?}");
    if let Ok(peer) = &result.peer {
        assert!(peer.rollbacks.count() > 0, "{result:?}");
    }
    let (before, after) = result.pending;
    assert!((before.units - after.units).abs() < 0.01, "{before:?} {after:?}");
    assert!(report.azure > report.native && report.native > 0.0, "{report:?}");
    let page = report.page();
    assert!(page.contains("| workloads per minute |") && page.contains("A smaller run"), "{page}");
    assert!(!page.contains("/tmp"), "{page}");
}
