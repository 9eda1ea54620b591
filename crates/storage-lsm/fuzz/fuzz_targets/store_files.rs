//! Fuzzes `check_store_files`. The properties that must hold are in `src/fuzzing.rs` of the crate.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| storage_lsm::fuzzing::check_store_files(bytes));
