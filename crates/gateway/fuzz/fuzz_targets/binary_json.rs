//! Fuzzes `check_binary_json`. The properties that must hold are in `src/fuzzing.rs` of the crate.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gateway::fuzzing::check_binary_json(bytes));
