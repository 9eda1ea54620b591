//! `planisphere serve`: what it says, what it refuses, how it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use model::Json;

use crate::planisphere::{BINARY, planisphere};

pub(crate) fn start(words: &[&str]) -> (Child, Json) {
    start_with(words, |_| {})
}

/// A server with more than words: what a test changes of its surroundings.
pub(crate) fn start_with(words: &[&str], change: impl FnOnce(&mut Command)) -> (Child, Json) {
    let mut command = Command::new(BINARY);
    command.arg("serve").args(["--port", "0", "--ready-json"]).args(words);
    change(&mut command);
    let mut server = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let ready = Json::parse(line.trim().as_bytes()).unwrap().get("ready").unwrap().clone();
    (server, ready)
}

pub(crate) fn text(ready: &Json, name: &str) -> String {
    ready.get(name).unwrap().as_str().unwrap().to_owned()
}

fn get(endpoint: &str, path: &str) -> String {
    let host = endpoint.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let port = host.rsplit(':').next().unwrap();
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Asks the process to end, as an operator does.
pub(crate) fn terminate(mut server: Child) -> Option<i32> {
    let pid = server.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    server.wait().unwrap().code()
}

#[test]
fn a_server_says_where_it_is_and_ends_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (server, ready) = start(&["--data", data.to_str().unwrap()]);
    let endpoint = text(&ready, "endpoint");
    let connection = text(&ready, "connectionString");
    assert!(connection.starts_with(&format!("AccountEndpoint={endpoint};AccountKey=")));
    assert!(get(&endpoint, "/ready").starts_with("HTTP/1.1 200"));
    assert!(get(&endpoint, "/dbs").starts_with("HTTP/1.1 401"));
    assert_eq!(terminate(server), Some(0));
    let verify = planisphere(["verify", "--data", data.to_str().unwrap()]);
    verify.succeeded();
}

#[test]
fn a_server_in_memory_leaves_nothing_behind() {
    let (server, ready) = start(&["--memory"]);
    assert_eq!(text(&ready, "data"), "memory");
    assert_eq!(terminate(server), Some(0));
}

#[test]
fn the_well_known_key_is_refused_where_others_can_reach_it() {
    let said = planisphere(["serve", "--memory", "--port", "0", "--host", "0.0.0.0"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("everybody knows the key"), "{said:?}");
    assert!(said.err.contains("--allow-insecure-key"), "{said:?}");
    // A key of three bytes is found by trying all of them on one signature.
    let said =
        planisphere(["serve", "--memory", "--port", "0", "--host", "0.0.0.0", "--key", "AAAA"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("fewer than 16 bytes"), "{said:?}");
    let (server, _) = start(&["--memory", "--host", "0.0.0.0", "--allow-insecure-key"]);
    assert_eq!(terminate(server), Some(0));
    let key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let (server, ready) = start(&["--memory", "--host", "0.0.0.0", "--key", key]);
    assert_eq!(text(&ready, "key"), key);
    assert_eq!(terminate(server), Some(0));
}

#[test]
fn errors_are_printed_in_one_line() {
    let said = planisphere(["serve", "--memory", "--port", "0", "--key", "not base64!"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("it is not base64"), "{said:?}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let said = planisphere(["serve", "--memory", "--port", &port]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("Choose another --port"), "{said:?}");
    let said = planisphere(["serve", "--memory", "--port", "0", "--cert", "missing.pem"]);
    assert_eq!(said.code, 2, "{said:?}");
}

#[test]
fn an_issuer_needs_all_its_parts() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let serve = |words: &[&str]| {
        planisphere(["serve", "--memory", "--port", "0"].iter().chain(words).copied())
    };
    let said = serve(&["--issuer", "https://issuer.example/"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("--role-assignments"), "{said:?}");
    let keys = write("keys", r#"{"keys":[{"kty":"RSA","kid":"a","n":"AAAA","e":"AQAB"}]}"#);
    let roles = write("roles", r#"{"roleAssignments":[]}"#);
    let wrong = write("wrong", r#"{"roleAssignments":[{"principalId":"p"}]}"#);
    let words = |keys, roles| {
        let names = ["--issuer", "https://issuer.example/", "--audience", "a", "--jwks", keys];
        names.into_iter().chain(["--role-assignments", roles]).collect::<Vec<_>>()
    };
    let said = serve(&words("http://issuer.example/keys", &roles));
    assert!(said.code == 2 && said.err.contains("with https"), "{said:?}");
    let said = serve(&words(&keys, &wrong));
    assert!(said.code == 2 && said.err.contains("role definition ''"), "{said:?}");
    let mut all = words(&keys, &roles);
    all.push("--memory");
    let (server, _) = start(&all);
    assert_eq!(terminate(server), Some(0));
}

#[test]
fn the_explorer_says_how_to_connect_and_keeps_secrets() {
    let (server, ready) = start(&["--memory"]);
    let endpoint = text(&ready, "endpoint");
    let page = get(&endpoint, "/_explorer/index.html");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("text/html"), "{page}");
    let session = get(&endpoint, "/_planisphere/session");
    assert!(session.contains("\"endpoint\":\"http://localhost:"), "{session}");
    assert!(session.contains(&text(&ready, "key")), "everybody knows this key");
    assert!(text(&ready, "explorer").contains("/_explorer#token="), "{ready:?}");
    assert_eq!(terminate(server), Some(0));
    let key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let (server, ready) = start(&["--memory", "--key", key]);
    let session = get(&text(&ready, "endpoint"), "/_planisphere/session");
    assert!(session.starts_with("HTTP/1.1 200") && !session.contains(key), "{session}");
    assert!(!session.contains("csrfToken"), "{session}");
    assert_eq!(terminate(server), Some(0));
    let (server, ready) = start(&["--memory", "--no-explorer"]);
    let page = get(&text(&ready, "endpoint"), "/_explorer/index.html");
    assert!(!page.contains("<html"), "{page}");
    assert_eq!(terminate(server), Some(0));
}

#[test]
fn a_key_from_a_file_is_never_printed() {
    let key = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA==";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    std::fs::write(&file, format!("{key}\n")).unwrap();
    let file = file.to_str().unwrap();
    let (server, ready) = start(&["--memory", "--key-file", file]);
    assert!(ready.get("key").is_none() && ready.get("connectionString").is_none(), "{ready}");
    assert!(!text(&ready, "endpoint").is_empty());
    assert_eq!(terminate(server), Some(0));
    for (words, variable) in [(vec!["--key-file", file], None), (vec![], Some(("KEY_FILE", file)))]
    {
        let mut command = Command::new(BINARY);
        command.args(["serve", "--memory", "--port", "0"]).args(words).envs(variable);
        let mut server = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut printed = String::new();
        let mut lines = BufReader::new(server.stdout.take().unwrap());
        while !printed.contains("fully ready") {
            assert!(lines.read_line(&mut printed).unwrap() > 0, "{printed}");
        }
        let mut complained = server.stderr.take().unwrap();
        assert_eq!(terminate(server), Some(0));
        lines.read_to_string(&mut printed).unwrap();
        complained.read_to_string(&mut printed).unwrap();
        assert!(printed.contains("the one in the key file"), "{printed}");
        assert!(!printed.contains(key), "{printed}");
    }
}

#[test]
fn other_host_names_are_allowed_by_a_flag() {
    let ask = |endpoint: &str, host: &str| {
        let port = endpoint.trim_end_matches('/').rsplit(':').next().unwrap();
        let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        let request = format!("GET /dbs HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let (server, ready) = start(&["--memory", "--allowed-host", "planisphere"]);
    let endpoint = text(&ready, "endpoint");
    assert!(ask(&endpoint, "planisphere:8081").starts_with("HTTP/1.1 401"), "only unsigned");
    let refused = ask(&endpoint, "evil.example");
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    assert!(refused.contains("--allowed-host evil.example"), "{refused}");
    assert_eq!(terminate(server), Some(0));
}
