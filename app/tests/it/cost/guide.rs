//! Runs the example of the bill in the guide for test authors as it is printed.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::planisphere::{BINARY, Said};

const HEADING: &str = "## Check the bill";

/// The first block of a language in a text.
fn block<'text>(text: &'text str, language: &str) -> &'text str {
    let (_, rest) = text.split_once(&format!("```{language}\n")).expect("the guide has the block");
    rest.split_once("```").expect("the block ends").0
}

#[test]
fn the_example_prints_what_the_guide_says() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/test-author.md");
    let guide = fs::read_to_string(guide).unwrap();
    let (_, section) = guide.split_once(HEADING).expect("the guide has the section");
    let (script, wanted) = (block(section, "sh"), block(section, "text"));
    let folder = tempfile::tempdir().unwrap();
    let binaries = Path::new(BINARY).parent().unwrap().to_str().unwrap();
    let path = format!("{binaries}:{}", std::env::var("PATH").unwrap());
    let mut run = Command::new("sh");
    run.args(["-e", "-c", script]).env("PATH", path).current_dir(folder.path());
    let output = run.output().unwrap();
    let said = Said::of(&output).succeeded();
    assert_eq!(said.out, wanted, "{}", said.err);
}
