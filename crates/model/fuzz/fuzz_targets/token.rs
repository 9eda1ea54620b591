//! Fuzzes `check_token`. The properties that must hold are in `src/fuzzing.rs` of the crate.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| model::fuzzing::check_token(bytes));
