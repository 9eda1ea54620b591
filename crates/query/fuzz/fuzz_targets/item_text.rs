//! Fuzzes stored items. The properties that must hold are in the oracle of the integration tests.

#![no_main]

#[allow(dead_code, reason = "each target uses its half of the oracle")]
#[path = "../../tests/it/fuzz/oracle.rs"]
mod oracle;

libfuzzer_sys::fuzz_target!(|text: &[u8]| oracle::check_item(text));
