//! A disk that is full, from the user's side. A limit on file sizes stands in for it.

use std::path::Path;
use std::process::Command;

use crate::planisphere::{BINARY, Said, on};

/// Runs a benchmark that keeps its store, in a process that may write files of so many KiB.
fn bench_with_limit(folder: &Path, limit_kib: u32) -> Said {
    let words = "bench --items 100000 --item-bytes 16000 --seconds 1 --keep --data";
    let script = format!("ulimit -f {limit_kib}; trap '' XFSZ; exec \"$0\" {words} \"$1\"");
    let mut bash = Command::new("bash");
    bash.args(["-c", &script, BINARY]).arg(folder);
    Said::of(&bash.output().expect("bash is there to set the limit"))
}

#[test]
fn no_room_for_a_store_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let said = bench_with_limit(&store, 1000);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains(&store.display().to_string()), "{said:?}");
}

#[test]
fn a_disk_that_fills_up_stops_the_writes_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    // The journal is created with 64 MiB.
    let said = bench_with_limit(&store, 66 * 1024);
    said.refused(&store, "was not acknowledged", "ree space");
    let verified = on("verify", &store).succeeded();
    assert!(verified.out.contains("consistent: "), "{verified:?}");
}
