//! Texts that nobody would write.
//!
//! A seeded fuzzer that runs with the ordinary tests: texts of the cases, changed by tokens and by bytes, are held
//! against `oracle`, which the targets in `fuzz/` share. A failure names its seed; `FUZZ_SEED` runs that one again, and
//! `FUZZ_INPUTS` says how many inputs are tried.

mod bounded;
mod corpus;
mod mutate;
pub(crate) mod oracle;
