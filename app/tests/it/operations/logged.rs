//! The request log.

use std::io::Read;
use std::process::Stdio;

use model::Json;

use crate::planisphere::planisphere;
use crate::serve::{start_with, terminate, text};

/// What a server with these words and this `RUST_LOG` logs about one signed request and one probe.
fn logged(words: &[&str], variable: Option<&str>) -> String {
    let words = [&["--memory"], words].concat();
    let (mut server, ready) = start_with(&words, |command| {
        command
            .stderr(Stdio::piped())
            .env_remove("RUST_LOG")
            .envs(variable.map(|it| ("RUST_LOG", it)));
    });
    let endpoint = text(&ready, "endpoint");
    planisphere(["list", "--endpoint", &endpoint]).succeeded();
    let mut log = server.stderr.take().unwrap();
    assert_eq!(terminate(server), Some(0));
    let mut printed = String::new();
    log.read_to_string(&mut printed).unwrap();
    printed
}

#[test]
fn each_request_is_a_line() {
    let printed = logged(&["--log", "requests"], None);
    let line = printed.lines().find(|line| line.contains("path=/dbs")).unwrap();
    for part in [" INFO request method=", "status=200", "charge=", "duration_us=", "activity_id="] {
        assert!(line.contains(part), "{line}");
    }
    assert_eq!(logged(&[], None), "", "nothing is logged unless asked for");
}

#[test]
fn the_log_may_be_json_and_the_variable_chooses_events() {
    let printed = logged(&["--log", "json"], None);
    let line = printed.lines().find(|line| line.contains("/dbs")).unwrap();
    let json = Json::parse(line.as_bytes()).unwrap();
    assert_eq!(json.get("status").and_then(Json::as_i64), Some(200), "{line}");
    assert!(json.get("duration_us").and_then(Json::as_i64).is_some(), "{line}");
    assert_eq!(json.get("target").and_then(Json::as_str), Some("planisphere::requests"));
    assert_eq!(logged(&["--log", "requests"], Some("error")), "");
    assert!(logged(&[], Some("planisphere::requests=info")).contains("path=/dbs"));
    let printed = logged(&["--log", "requests"], Some("x=loud"));
    assert!(printed.contains("'x=loud' in RUST_LOG is ignored"), "{printed}");
}
