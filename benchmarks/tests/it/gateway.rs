//! The gateway benchmarks on a tiny data set: every response is correct, every figure is finite. Speed is not tested.

use std::path::{Path, PathBuf};
use std::process::Command;

use benchmarks::{GatewayOptions, run_gateway};

#[test]
fn every_measurement_of_the_gateway_gives_finite_numbers_on_a_tiny_data_set() {
    let report = run_gateway(&GatewayOptions {
        items: 200,
        rounds: 1,
        measured_ms: 200,
        connections: 4,
        server: server(),
        program: env!("CARGO_BIN_EXE_benchmarks").into(),
        peers: None,
    })
    .unwrap();
    let letters: String = report.compared.iter().map(|row| row.letter).collect();
    // PostgreSQL is measured where it is installed.
    let all = if report.without_postgresql.is_some() { "abcde" } else { "abcdefghijk" };
    assert_eq!(letters, all);
    for row in &report.compared {
        for value in [row.ratio, row.ours.per_second, row.other.per_second, row.ours.p99_us] {
            assert!(value.is_finite() && value > 0.0, "{row:?}");
        }
    }
    assert_eq!(report.facts.len(), 3);
    for fact in &report.facts {
        assert!(fact.value.is_finite() && fact.value > 0.0, "{fact:?}");
    }
    let page = report.page();
    assert!(page.contains("| a | point read of 1 KB |"), "{page}");
    assert!(!page.contains("/tmp"), "{page}");
}

/// The binary of the server. A test run of the workspace has built it before any test starts; a run of this package
/// alone builds it here if it is missing.
fn server() -> PathBuf {
    let server = Path::new(env!("CARGO_BIN_EXE_benchmarks")).with_file_name("planisphere");
    if !server.exists() {
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "planisphere-server", "--bin", "planisphere"])
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
            .status();
        assert!(built.is_ok_and(|status| status.success()), "the server could not be built");
    }
    server
}
