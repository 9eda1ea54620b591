//! Tasks (skeleton).
fn main() {}
