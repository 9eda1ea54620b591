//! Fuzzes `check_http_head`. The properties that must hold are in `src/fuzzing.rs` of the crate.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gateway::fuzzing::check_http_head(bytes));
