//! Example (skeleton).
fn main() {}
