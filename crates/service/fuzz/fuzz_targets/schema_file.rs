//! Fuzzes `check_schema_file`. The properties that must hold are in `src/fuzzing.rs` of the crate.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| service::fuzzing::check_schema_file(bytes));
