//! Benchmarks (skeleton).
fn main() {}
