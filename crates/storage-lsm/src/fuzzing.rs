//! What must hold of any bytes in the files of a store. Panics are the failures.
//!
//! Called by the target in `fuzz/` and by tests, which replay its seeds; not part of the library.

use crate::durable_stamps::check_slots;
use crate::integrity::{check_journal, check_manifest};
use crate::run_buffer::check_run_record;
use crate::stamp_entry::StampEntry;

/// The records of our own files and the batches of a journal are refused or read.
pub fn check_store_files(bytes: &[u8]) {
    if let Some((key, value)) = bytes.split_at_checked(4) {
        let _ = StampEntry::decode(key, value);
    }
    check_slots(bytes);
    check_manifest(bytes);
    check_journal(bytes);
    check_run_record(bytes);
}

#[cfg(test)]
mod tests {
    const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

    #[test]
    fn the_seeds_of_the_target_are_read() {
        fuzz_seeds::replay(PACKAGE, "store_files", super::check_store_files);
    }
}
