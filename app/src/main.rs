//! The binary (skeleton).
fn main() {}
