//! `backup` and `restore` on running servers.

use std::os::unix::fs::PermissionsExt;

use crate::planisphere::{filled, planisphere};
use crate::serve::{start, terminate, text};

#[test]
fn a_backup_of_a_running_server_is_restored_into_another() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("store");
    filled(&data);
    let (first, ready) = start(&["--data", data.to_str().unwrap()]);
    let from = text(&ready, "endpoint");
    let file = folder.path().join("shop.backup");
    let file = file.to_str().unwrap();
    let said = planisphere(["backup", "--endpoint", &from, "--out", file]).succeeded();
    assert!(said.out.contains("saved 300 items"), "{said:?}");
    let mode = std::fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let said = planisphere(["backup", "--endpoint", &from, "--out", file]);
    assert!(said.code == 2 && said.err.contains("exists"), "{said:?}");
    let (second, ready) = start(&["--memory"]);
    let to = text(&ready, "endpoint");
    for _ in 0..2 {
        let said = planisphere(["restore", "--endpoint", &to, "--file", file]).succeeded();
        assert!(said.out.contains("restored 300 items"), "{said:?}");
    }
    let count = |endpoint: &str| {
        let named =
            ["query", "--database", "bench", "--container", "items", "--endpoint", endpoint];
        let rows =
            planisphere(named.iter().chain(&["SELECT VALUE c.number FROM c"])).succeeded().out;
        let mut rows: Vec<u32> = rows.lines().map(|row| row.parse().unwrap()).collect();
        rows.sort_unstable();
        rows
    };
    assert_eq!(count(&to), (0..300).collect::<Vec<_>>());
    assert_eq!(count(&to), count(&from));
    let cut = std::fs::read_to_string(file).unwrap();
    let cut = cut.rsplit_once("{\"end\"").unwrap().0;
    std::fs::write(folder.path().join("cut.backup"), cut).unwrap();
    let cut = folder.path().join("cut.backup");
    let said = planisphere(["restore", "--endpoint", &to, "--file", cut.to_str().unwrap()]);
    assert!(said.code == 2 && said.err.contains("its end is missing"), "{said:?}");
    assert_eq!((terminate(first), terminate(second)), (Some(0), Some(0)));
}

#[test]
fn a_time_that_is_no_second_of_the_past_is_refused() {
    let (server, ready) = start(&["--memory"]);
    let endpoint = text(&ready, "endpoint");
    let restore =
        |words: &[&str]| planisphere([&["restore", "--endpoint", &endpoint], words].concat());
    let said = restore(&["--at", "yesterday", "--container", "a/b", "--in-place"]);
    assert!(said.code == 2 && said.err.contains("2026-11-17T10:00:00Z"), "{said:?}");
    let said = restore(&["--at", "2026-11-17T10:00:00Z", "--container", "a/b"]);
    assert!(said.code == 2 && said.err.contains("--in-place"), "{said:?}");
    let said = restore(&["--at", "2026-11-17T10:00:00Z", "--container", "a/b", "--in-place"]);
    assert!(said.code == 2 && said.err.contains("404"), "{said:?}");
    assert_eq!(terminate(server), Some(0));
}
