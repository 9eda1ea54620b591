//! Fuzzes `script_text`. The properties that must hold are in `src/fuzzing.rs` of the crate.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| javascript::fuzzing::script_text(text));
