//! The demonstration of the bill in README, run as it is printed.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::planisphere::{BINARY, Said};

const HEADING: &str = "## Know the bill";

/// The first block of a language in a text.
fn block<'text>(text: &'text str, language: &str) -> &'text str {
    let (_, rest) = text.split_once(&format!("```{language}\n")).expect("README has the block");
    rest.split_once("```").expect("the block ends").0
}

#[test]
fn the_demonstration_prints_what_readme_says() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let (_, section) = readme.split_once(HEADING).expect("README has the section");
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
