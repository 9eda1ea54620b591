//! Readers that go away, and ctrl-c.

use std::io::Read;
use std::process::{Child, Command, Stdio};

use super::ask::{named, store};
use crate::planisphere::{BINARY, Said};

/// Many more rows than a pipe holds, one page each.
const ENDLESS: &str = "SELECT c.id, a, b FROM c \
    JOIN a IN (SELECT VALUE [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) \
    JOIN b IN (SELECT VALUE [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])";

fn start(folder: &tempfile::TempDir) -> Child {
    Command::new(BINARY)
        .args(named(&folder.path().join("store")))
        .args(["--page-items", "1", ENDLESS])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_reader_that_goes_away_ends_a_query_quietly() {
    let store = store();
    let mut child = start(&store);
    let mut beginning = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut beginning).unwrap();
    let said = Said::of(&child.wait_with_output().unwrap()).succeeded();
    assert_eq!(said.err, "");
}

#[test]
fn ctrl_c_ends_with_whole_rows_and_the_token_to_go_on() {
    let store = store();
    let mut child = start(&store);
    let mut out = child.stdout.take().unwrap();
    let mut beginning = [0; 10];
    out.read_exact(&mut beginning).unwrap();
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).unwrap();
    let said = Said::of(&child.wait_with_output().unwrap());
    assert_eq!(said.code, 130, "{said:?}");
    assert!(rest.ends_with(b"}\n"), "the last row is whole");
    assert!(said.err.contains("--continuation"), "{said:?}");
}
