//! `planisphere emulator`: what tools for Microsoft's emulators wait for, set and read.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use model::Json;

use crate::planisphere::{BINARY, planisphere};
use crate::serve::terminate;

/// A free port. Another process may take it before the server does; then the server says so and the test fails.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// An emulator with three ports of its own.
struct Emulator {
    process: Child,
    api: u16,
    health: u16,
    explorer: u16,
    /// The bytes that it printed until it was ready.
    printed: String,
}

impl Emulator {
    fn start(words: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        let (api, health, explorer) = (free_port(), free_port(), free_port());
        let mut command = Command::new(BINARY);
        command.arg("emulator").args(words).args(["--health-port", &health.to_string()]);
        command.env("PORT", api.to_string()).env("EXPLORER_PORT", explorer.to_string());
        change(&mut command);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.as_mut().unwrap());
        let mut printed = String::new();
        while !printed.ends_with("Started\r\n") {
            assert!(lines.read_line(&mut printed).unwrap() > 0, "{printed}");
        }
        Self { process, api, health, explorer, printed }
    }
}

fn get(port: u16, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let head =
        format!("GET {path} HTTP/1.1\r\nhost: localhost:{port}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn it_prints_and_answers_what_container_tools_wait_for() {
    let emulator = Emulator::start(&[], |_| {});
    let listening = format!("Now listening on: http://127.0.0.1:{}\n", emulator.api);
    assert!(emulator.printed.contains(&listening), "{}", emulator.printed);
    assert!(emulator.printed.contains("System is now fully ready to accept requests\n"));
    for path in ["/alive", "/ready", "/status"] {
        let answer = get(emulator.health, path);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let body = answer.split("\r\n\r\n").nth(1).unwrap();
        let body = Json::parse(body.as_bytes()).unwrap();
        let checks = body.get("checks").unwrap();
        for check in ["gateway", "postgres", "explorer"] {
            assert_eq!(checks.get(check).and_then(Json::as_str), Some("healthy"), "{check}");
        }
        assert_eq!(body.get("status").and_then(Json::as_str), Some("healthy"));
        assert_eq!(body.get("protocol").and_then(Json::as_str), Some("http"));
    }
    assert!(get(emulator.health, "/dbs").starts_with("HTTP/1.1 404"), "health only");
    assert!(get(emulator.api, "/alive").starts_with("HTTP/1.1 200"));
    let redirect = get(emulator.explorer, "/");
    assert!(redirect.starts_with("HTTP/1.1 302") && redirect.contains("/_explorer"), "{redirect}");
    assert!(get(emulator.explorer, "/_explorer").contains("<html"));
    assert_eq!(terminate(emulator.process), Some(0));
}

#[test]
fn its_variables_and_arguments_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let emulator =
        Emulator::start(&["/Consistency=Strong", "/EnableRateLimiting", "/Fly"], |set| {
            set.env("DATA_PATH", &data).env("ENABLE_TELEMETRY", "false");
            set.env("GATEWAY_PUBLIC_ENDPOINT", "db.example");
        });
    assert!(emulator.printed.contains("http://db.example:"), "{}", emulator.printed);
    assert_eq!(terminate(emulator.process), Some(0));
    assert!(data.join("FORMAT").exists(), "the data are in the folder");
    let said = planisphere(["emulator", "/Shutdown"]);
    assert!(said.code == 2 && said.err.contains("reading /Shutdown"), "{said:?}");
    let said = planisphere(["emulator", "/AllowNetworkAccess", "--health-port", "0"]);
    assert!(said.code == 2 && said.err.contains("everybody knows the key"), "{said:?}");
}

#[test]
fn without_an_explorer_its_port_is_closed() {
    let emulator = Emulator::start(&[], |set| {
        set.env("ENABLE_EXPLORER", "false");
    });
    assert!(TcpStream::connect(("127.0.0.1", emulator.explorer)).is_err());
    let alive = get(emulator.health, "/alive");
    assert!(alive.contains(r#""explorer":"disabled""#), "{alive}");
    assert_eq!(terminate(emulator.process), Some(0));
}

#[test]
fn its_certificate_is_kept_in_the_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let data = data.to_str().unwrap();
    let run = |host: &str| {
        let words = ["--protocol", "https", "--data", data, "--public-endpoint", host];
        let emulator = Emulator::start(&words, |_| {});
        let alive = get(emulator.health, "/alive");
        assert!(alive.contains(r#""protocol":"https""#), "{alive}");
        assert_eq!(terminate(emulator.process), Some(0));
        std::fs::read_to_string(folder.path().join("data/certificate.pem")).unwrap()
    };
    let first = run("db.example");
    let names = "for: 127.0.0.1 ::1 db.example localhost\n";
    assert!(
        first.lines().next().is_some_and(|line| format!("{line}\n").ends_with(names)),
        "{first}"
    );
    assert_eq!(run("db.example"), first, "clients still trust it");
    assert_ne!(run("other.example"), first, "another name needs another certificate");
    planisphere(["verify", "--data", data]).succeeded();
}
