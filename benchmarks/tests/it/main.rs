//! Every measurement on a tiny data set: the numbers must be there and make sense. How fast is no question of a test.

mod events;
mod gateway;
mod notifications;
mod queries;
mod secrets;

use benchmarks::{Options, run};

#[test]
fn every_measurement_gives_finite_numbers_on_a_tiny_data_set() {
    let report = run(&Options {
        items: 400,
        rounds: 1,
        only: Vec::new(),
        program: env!("CARGO_BIN_EXE_benchmarks").into(),
    })
    .unwrap();
    let letters: String = report.rows.iter().map(|row| row.letter).collect();
    assert_eq!(letters, "abcdeeffg");
    for row in &report.rows {
        assert!(row.value.is_finite() && row.value > 0.0, "{row:?}");
    }
    let page = report.page();
    assert!(page.contains("| a | point read"), "{page}");
    assert!(!page.contains("/tmp"), "{page}");
}
