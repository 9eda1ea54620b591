//! Settings files, completion scripts, permissions of files.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::planisphere::{filled, planisphere};
use crate::serve::{start, terminate, text};

#[test]
fn flags_may_come_from_a_settings_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("planisphere.toml");
    let key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    std::fs::write(&file, format!("[serve]\nmemory = true\nkey = \"{key}\"\n")).unwrap();
    let (server, ready) = start(&["--settings-file", file.to_str().unwrap()]);
    assert_eq!((text(&ready, "data"), text(&ready, "key")), ("memory".to_owned(), key.to_owned()));
    assert_eq!(terminate(server), Some(0));
    std::fs::write(&file, "[serve]\nprot = 1\n").unwrap();
    let said = planisphere(["serve", "--settings-file", file.to_str().unwrap()]);
    assert!(said.code == 2 && said.err.contains("serve has no flag --prot"), "{said:?}");
    let said = planisphere(["serve", "--settings-file", "missing.toml"]);
    assert!(said.code == 2 && said.err.contains("missing.toml"), "{said:?}");
}

#[test]
fn shells_get_completion_scripts() {
    for shell in ["bash", "zsh", "fish"] {
        let said = planisphere(["completions", shell]).succeeded();
        assert!(said.out.contains("planisphere") && said.out.contains("emulator"), "{shell}");
    }
}

#[test]
fn only_the_owner_can_read_the_files_of_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("store");
    std::fs::create_dir(&data).unwrap();
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    filled(&data);
    let (server, _) = start(&["--data", data.to_str().unwrap()]);
    assert_eq!(terminate(server), Some(0));
    check(&data);
}

fn check(path: &Path) {
    let metadata = std::fs::metadata(path).unwrap();
    let mode = metadata.permissions().mode() & 0o777;
    assert_eq!(mode & 0o077, 0, "{} has {mode:o}", path.display());
    if metadata.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            check(&entry.unwrap().path());
        }
    }
}
