//! Replays the committed inputs of a fuzz target in an ordinary test.
//!
//! Owns where the seeds of a target are. Does not own what must hold of them: that is in `src/fuzzing.rs` of the crate
//! that is tested. A crate of its own, because crates that know nothing of each other need it.

use std::path::Path;

/// Passes every seed of a target to a check. `package` is the `CARGO_MANIFEST_DIR` of the crate that has the target.
///
/// # Panics
/// If the check panics, or if the target has fewer than three seeds: then nothing is tested.
pub fn replay(package: &str, target: &str, check: impl Fn(&[u8])) {
    let folder = Path::new(package).join("fuzz/seeds").join(target);
    let entries = std::fs::read_dir(&folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seeds = 0;
    for entry in entries {
        let path = entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path();
        let seed = std::fs::read(&path);
        check(&seed.unwrap_or_else(|error| panic!("{}: {error}", path.display())));
        seeds += 1;
    }
    assert!(seeds >= 3, "{} has {seeds} seeds; three are the least", folder.display());
}
