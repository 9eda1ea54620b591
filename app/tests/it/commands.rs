//! The commands as a user runs them.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use crate::planisphere::{BINARY, filled, on, planisphere};

#[test]
fn version_names_the_format_that_stores_are_written_in() {
    let said = planisphere(["version"]).succeeded();
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines[0], format!("planisphere {}", env!("CARGO_PKG_VERSION")));
    let folder = tempfile::tempdir().unwrap();
    drop(storage_lsm::LsmStore::open(folder.path(), engine::SPACES, Default::default()).unwrap());
    let marker = fs::read_to_string(folder.path().join("FORMAT")).unwrap();
    assert_eq!(lines[1], format!("storage {}", marker.lines().nth(2).unwrap()));
    assert!(lines[2].starts_with("profile "));
}

#[test]
fn help_teaches_by_examples() {
    let commands = [
        "version",
        "verify",
        "bench",
        "export",
        "import",
        "copy",
        "query",
        "cost",
        "schema",
        "notifications",
    ];
    for command in commands {
        let said = planisphere([command, "--help"]).succeeded();
        assert!(said.out.contains("Example"), "{said:?}");
        assert!(said.out.contains(&format!("planisphere {command}")), "{said:?}");
    }
    assert!(planisphere(["--help"]).succeeded().out.contains("Exit codes"));
    assert_eq!(planisphere(["no-such-command"]).code, 2);
}

#[test]
fn bench_measures_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("new");
    let path = data.to_str().unwrap();
    let words = ["bench", "--data", path, "--items", "100", "--seconds", "1", "--relaxed"];
    let said = planisphere(words).succeeded();
    for phase in ["load", "create, 1 at a time", "point read, 64 at a time", "change feed"] {
        assert!(said.out.lines().any(|line| line.starts_with(phase)), "{said:?}");
    }
    assert!(!data.exists());
}

#[test]
fn a_container_is_carried_over_by_export_and_import() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let file = folder.path().join("items.jsonl");
    filled(&first);
    let (first, second) = (first.to_str().unwrap(), second.to_str().unwrap());
    let named = ["--database", "bench", "--container", "items"];
    let words = |command, data, flag| {
        [&[command, "--data", data][..], &named, &[flag, file.to_str().unwrap()]].concat()
    };
    planisphere(words("export", first, "--out")).succeeded();
    let again = planisphere(words("export", first, "--out"));
    assert!(again.code == 2 && again.err.contains("Choose another file"), "{again:?}");
    let lines = fs::read_to_string(&file).unwrap().lines().count();
    let said = planisphere(words("import", second, "--file")).succeeded();
    assert_eq!(said.out, format!("imported {} items into bench/items\n", thousands(lines - 1)));
    let verified = on("verify", second.as_ref()).succeeded();
    assert!(verified.out.contains("container bench/items"), "{verified:?}");
    assert!(verified.out.contains("consistent: "), "{verified:?}");
}

fn thousands(number: usize) -> String {
    if number < 1000 {
        number.to_string()
    } else {
        format!("{} {:03}", number / 1000, number % 1000)
    }
}

#[test]
fn a_reader_that_goes_away_ends_an_export_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("store");
    filled(&data);
    let mut child = Command::new(BINARY)
        .args(["export", "--database", "bench", "--container", "items", "--data"])
        .arg(&data)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut beginning = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut beginning).unwrap();
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && !printed.contains("panicked"), "{printed}");
}

#[test]
fn an_import_that_makes_no_sense_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("store");
    filled(&data);
    let file = folder.path().join("broken.jsonl");
    fs::write(&file, "{\"id\":\"1\",\"partitionKey\":\"k\"}\nnot json\n").unwrap();
    let named = ["import", "--database", "bench", "--container", "items", "--data"];
    let words = [&named[..], &[data.to_str().unwrap(), "--file", file.to_str().unwrap()]].concat();
    let said = planisphere(words);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("line 2 is not JSON"), "{said:?}");
    on("verify", &data).succeeded();

    let nowhere = folder.path().join("nowhere");
    let words = [&named[..], &[nowhere.to_str().unwrap(), "--file", "no-such-file"]].concat();
    let said = planisphere(words);
    assert!(said.code == 2 && said.err.contains("no-such-file"), "{said:?}");
    assert!(!nowhere.exists(), "a mistyped file name must not create a store");
}
