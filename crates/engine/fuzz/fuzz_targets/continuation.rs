//! Fuzzes `check_continuation`. The properties that must hold are in `src/fuzzing.rs` of the crate.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| engine::fuzzing::check_continuation(bytes));
