//! The emulator tests that the published crate `azure_data_cosmos` carries, run against our server.
//!
//! Owns: taking the crate as cargo has fetched it for the Rust runner, building its tests for the category `emulator`
//! in the target folder, running them, and the section of the table about them. None of that code is kept by us.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::expected_failures::ExpectedFailures;
use super::runner::target_folder;
use super::scenario_result::ScenarioResult;
use super::server::ServerProcess;
use crate::reading::workspace_root;
use crate::test::cargo;

/// What these tests are called in `expected_failures.txt`.
pub(crate) const SDK_TESTS: &str = "rust-tests";

/// The heading of their section.
pub(crate) const HEADING: &str = "## The tests of azure_data_cosmos itself";

const PACKAGE: &str = "/azure_data_cosmos-";
const FEATURES: &str = "key_auth,control_plane,fault_injection,unstable_patch";

/// Builds and runs them.
pub(crate) fn run_sdk_tests() -> Result<Vec<ScenarioResult>, String> {
    let folder = target_folder().join("conformance").join(SDK_TESTS);
    let package = copy_package(&folder)?;
    let tests = build_tests(&folder, &package)?;
    let server = ServerProcess::start(&[])?;
    let account = format!("AccountEndpoint={};AccountKey={};", server.endpoint(), server.key());
    let output = Command::new(&tests)
        .args(["--test-threads", "4"])
        .current_dir(&package)
        .env("AZURE_COSMOS_CONNECTION_STRING", account)
        .env("AZURE_COSMOS_TEST_MODE", "required")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{}: {error}", tests.display()))?;
    // The exit status is not asked: expected failures make it one of failure on a good day. Results are compared one
    // by one.
    let lines = read(&String::from_utf8_lossy(&output.stdout));
    // Every test filtered out would otherwise look like a run without a failure.
    if lines.is_empty() {
        return Err(format!("{} ran no test", tests.display()));
    }
    Ok(lines)
}

/// The section about them.
pub(crate) fn section(lines: &[ScenarioResult], expected: &ExpectedFailures) -> String {
    let count = |outcome: &str| lines.iter().filter(|line| line.outcome == outcome).count();
    let (passed, failed, left_out) = (count("passed"), count("failed"), count("unsupported"));
    let mut text = format!(
        "{HEADING}\n\nIts emulator tests, as published, built for the category `emulator` and run by \
         `cargo xtask conformance --full`:\n{} run, {passed} passed, {failed} failed; {left_out} are for other \
         setups by their own word.\n",
        passed + failed
    );
    let not_passed = lines.iter().filter(|line| line.outcome != "passed");
    for (number, line) in not_passed.enumerate() {
        let ScenarioResult { scenario, outcome, reason, .. } = line;
        let reason = expected.reason(SDK_TESTS, scenario).unwrap_or(reason);
        let word = if outcome == "failed" { "Fails" } else { "Left out" };
        let before = if number == 0 { "\n" } else { "" };
        let _ = writeln!(text, "{before}- {word}: `{scenario}`: {reason}.");
    }
    text
}

/// A copy of the crate that is a workspace of its own.
fn copy_package(folder: &Path) -> Result<PathBuf, String> {
    let metadata = output_of(Command::new(cargo()).args([
        "metadata",
        "--locked",
        "--format-version",
        "1",
        "--manifest-path",
        "conformance/runners/rust/Cargo.toml",
    ]))?;
    let mut manifests = metadata.split("\"manifest_path\":\"").skip(1);
    let manifest = manifests.find_map(|rest| {
        let (path, _) = rest.split_once('"')?;
        path.contains(PACKAGE).then(|| PathBuf::from(path))
    });
    let manifest = manifest.ok_or("cargo metadata does not name azure_data_cosmos")?;
    let source = manifest.parent().ok_or("a manifest without a folder")?;
    let package = folder.join("package");
    let describe = |error: std::io::Error| format!("{}: {error}", package.display());
    fs::create_dir_all(folder).map_err(describe)?;
    let status =
        // `-T` copies into a folder that is there from an earlier run instead of below it.
        Command::new("cp").arg("-rT").arg(source).arg(&package).status().map_err(describe)?;
    if !status.success() {
        return Err(format!("`{}` could not be copied", source.display()));
    }
    let manifest = package.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(describe)?;
    // The target folder lies inside our workspace unless set otherwise. Without a workspace of its own, cargo would
    // refuse the copy as a package that is not a member.
    fs::write(&manifest, format!("{text}\n[workspace]\n")).map_err(describe)?;
    Ok(package)
}

/// Builds the tests; only the test binary gets the `cfg` of its category, so that nothing else is rebuilt.
fn build_tests(folder: &Path, package: &Path) -> Result<PathBuf, String> {
    let output = output_of(
        Command::new(cargo())
            .args(["rustc", "--quiet", "--test", "emulator", "--features", FEATURES])
            .arg("--target-dir")
            .arg(folder.join("target"))
            .args(["--message-format", "json", "--", "--cfg", "test_category=\"emulator\""])
            .args(["--cfg", "cosmos_aad_supported"])
            .current_dir(package),
    )?;
    let mut executables = output.split("\"executable\":\"").skip(1);
    let tests = executables.find_map(|rest| rest.split_once('"').map(|(path, _)| path.to_owned()));
    tests.map(PathBuf::from).ok_or("cargo named no executable of the tests".to_owned())
}

fn output_of(command: &mut Command) -> Result<String, String> {
    if command.get_current_dir().is_none() {
        command.current_dir(workspace_root());
    }
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} ended with {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Reads what the test harness prints.
fn read(text: &str) -> Vec<ScenarioResult> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let Some((name, verdict)) =
            line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "))
        else {
            continue;
        };
        let (outcome, reason) = match verdict.split_once(", ") {
            _ if verdict.starts_with("ok") => ("passed", String::new()),
            _ if verdict.starts_with("FAILED") => ("failed", complaint(text, name)),
            Some(("ignored", reason)) => ("unsupported", reason.to_owned()),
            _ => ("unsupported", "no reason given".to_owned()),
        };
        let scenario = name.trim_start_matches("emulator_tests::").to_owned();
        lines.push(ScenarioResult {
            scenario,
            area: String::new(),
            outcome: outcome.into(),
            reason,
        });
    }
    lines
}

/// The line after the one that says where a test panicked.
fn complaint(text: &str, name: &str) -> String {
    let section = text.split_once(&format!("---- {name} stdout ----")).map_or("", |(_, rest)| rest);
    let mut lines = section.lines().skip_while(|line| !line.contains("panicked at"));
    lines.nth(1).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{ExpectedFailures, ScenarioResult, read, section};

    const PRINTED: &str = "\
running 3 tests
test emulator_tests::a::one ... ok
test emulator_tests::a::two ... FAILED
test emulator_tests::b::three ... ignored, needs two regions

failures:

---- emulator_tests::a::two stdout ----

thread 'x' panicked at tests/a.rs:1:1:
left is not right
";

    #[test]
    fn what_the_harness_prints_is_read_and_reported() {
        let lines = read(PRINTED);
        let outcomes: Vec<_> = lines.iter().map(|line| line.outcome.as_str()).collect();
        assert_eq!(outcomes, ["passed", "failed", "unsupported"]);
        let expected = ExpectedFailures::parse("rust-tests | a::two | known").unwrap_or_default();
        let text = section(&lines, &expected);
        for wanted in [
            "2 run, 1 passed, 1 failed; 1 are for other",
            "Fails: `a::two`: known.",
            "Left out: `b::three`: needs two regions.",
        ] {
            assert!(text.contains(wanted), "{wanted}\n{text}");
        }
        let Some(ScenarioResult { reason, .. }) = lines.get(1) else { panic!("there are three") };
        assert_eq!(reason, "left is not right");
    }
}
