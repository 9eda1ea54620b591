//! A disk that is full, from the user's side. A limit on file sizes stands in for it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use model::Json;

use crate::linearizability::http::{Answer, Connection, Request};
use crate::planisphere::{BINARY, Said, on};

/// Runs a benchmark that keeps its store, in a process that may write files of so many KiB.
fn bench_with_limit(folder: &Path, limit_kib: u32) -> Said {
    let words = "bench --items 100000 --item-bytes 16000 --seconds 1 --keep --data";
    let script = format!("ulimit -f {limit_kib}; trap '' XFSZ; exec \"$0\" {words} \"$1\"");
    let mut bash = Command::new("bash");
    bash.args(["-c", &script, BINARY]).arg(folder);
    Said::of(&bash.output().expect("bash is there to set the limit"))
}

#[test]
fn no_room_for_a_store_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let said = bench_with_limit(&store, 1000);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains(&store.display().to_string()), "{said:?}");
}

#[test]
fn a_disk_that_fills_up_stops_the_writes_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    // The journal is created with 64 MiB.
    let said = bench_with_limit(&store, 66 * 1024);
    said.refused(&store, "was not acknowledged", "ree space");
    let verified = on("verify", &store).succeeded();
    assert!(verified.out.contains("consistent: "), "{verified:?}");
}

const PARTITION_KEY: (&str, &str) = ("x-ms-documentdb-partitionkey", "[\"a\"]");

/// A server whose files may be limited while it runs. Killed when it is dropped.
struct LimitedServer {
    process: Child,
    connection: Connection,
}

impl LimitedServer {
    fn start(folder: &Path) -> Self {
        // Without the trap, a write beyond the limit would end the process.
        let script = "trap '' XFSZ; exec \"$0\" serve --port 0 --ready-json --data \"$1\"";
        let mut bash = Command::new("bash");
        bash.args(["-c", script, BINARY]).arg(folder).stdout(Stdio::piped());
        let mut process = bash.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let ready = Json::parse(line.trim().as_bytes()).unwrap();
        let endpoint = ready.get("ready").and_then(|ready| ready.get("endpoint")?.as_str());
        let port = endpoint.unwrap().trim_end_matches('/').rsplit(':').next().unwrap();
        Self { connection: Connection::new(port.parse().unwrap()), process }
    }

    /// Sets how long a file may become, in bytes or `unlimited`.
    fn limit_files(&self, bytes: &str) {
        let id = self.process.id().to_string();
        let limit = format!("--fsize={bytes}:unlimited");
        let set = Command::new("prlimit").args(["--pid", &id, &limit]).status();
        assert!(set.expect("util-linux has prlimit").success());
    }

    fn get(&mut self, path: &str) -> Answer {
        let headers = &[PARTITION_KEY];
        self.connection.ask(&Request { verb: "GET", path, headers, body: "" }).unwrap()
    }

    fn post(&mut self, path: &str, headers: &[(&str, &str)], body: &str) -> u16 {
        self.connection.ask(&Request { verb: "POST", path, headers, body }).unwrap().status
    }

    fn create_item(&mut self, id: &str) -> u16 {
        let item = format!(r#"{{"id":"{id}","pk":"a","text":"{}"}}"#, "x".repeat(5000));
        self.post("/dbs/d/colls/c/docs", &[PARTITION_KEY], &item)
    }
}

impl Drop for LimitedServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_server_without_room_is_not_ready_says_why_and_is_ready_again_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = LimitedServer::start(&folder.path().join("store"));
    assert_eq!(server.post("/dbs", &[], r#"{"id":"d"}"#), 201);
    let container = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;
    assert_eq!(server.post("/dbs/d/colls", &[], container), 201);
    assert_eq!(server.create_item("before"), 201);
    assert_eq!(server.get("/ready").status, 200);

    // Every file is longer already, so that no write succeeds.
    server.limit_files("4096");
    assert_eq!(server.create_item("refused"), 503);
    let refused = server.get("/ready");
    assert_eq!(refused.status, 503);
    let answer = refused.json().unwrap();
    assert_eq!(answer.get("status").and_then(Json::as_str), Some("read-only"));
    let reason = answer.get("reason").and_then(Json::as_str).unwrap();
    assert!(reason.contains("space"), "the reason names what to repair: {reason}");
    // Reads are still served.
    assert_eq!(server.get("/alive").status, 200);
    assert_eq!(server.get("/dbs/d/colls/c/docs/before").status, 200);

    server.limit_files("unlimited");
    while server.get("/ready").status != 200 {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.create_item("after"), 201);
    // What was refused was not written, or the caller could not repeat it.
    assert_eq!(server.create_item("refused"), 201);
    assert_eq!(server.create_item("before"), 409);
}
