//! `conformance --signalr`: the official clients of SignalR against a hub of ours and against the chat, and the table
//! of their results.
//!
//! Does not own what is expected: each client has its runner in `conformance/signalr`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};

use crate::conformance::{ClientLibrary, client_table, count_failed, run_clients, target_folder};
use crate::reading::workspace_root;
use crate::test::cargo;

const TABLE: &str = "docs/SIGNALR_COMPATIBILITY.md";
const OPENING: &str = "\
# Clients of SignalR

What the unmodified official clients of SignalR see of a hub of `planisphere-signalr`, the one of
`crates/signalr/examples/hub_server.rs`, and of the chat, `systems/chat/examples/chat_server.rs`: there they sign in
by a code, join, send, receive, read the history and come back after a lost connection. Written by
`cargo xtask conformance --signalr` from the results of one run. A cell is passed scenarios / scenarios of the client.
The Java client has no Server-Sent Events and does not reconnect; the package of its MessagePack protocol is not in
the registry that this run had, so MessagePack was run with the JavaScript client.
";

static LIBRARIES: [ClientLibrary; 2] = [
    ClientLibrary {
        folder: "javascript",
        package: "@microsoft/signalr (npm) 10.0.11",
        prepare: &[
            &["mkdir", "-p", "{tools}"],
            &["cp", "-r", "{runner}/.", "{tools}"],
            &["npm", "ci", "--silent", "--no-audit", "--no-fund", "--prefix", "{tools}"],
        ],
        run: &["node", "{tools}/run.mjs"],
    },
    ClientLibrary {
        folder: "java",
        package: "com.microsoft.signalr (Maven) 9.0.3",
        prepare: &[&[
            "mvn",
            "--quiet",
            "--batch-mode",
            "--file",
            "{runner}/pom.xml",
            "-Dtools={tools}",
            "compile",
        ]],
        run: &[
            "java",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            "{tools}/classes:{tools}/dependency/*",
            "Main",
        ],
    },
];

/// A server of ours, stopped when it is dropped.
struct ExampleServer {
    child: Child,
    /// What it printed when it was ready.
    line: String,
}

impl ExampleServer {
    fn start(package: &str, example: &str) -> Result<Self, String> {
        let built = Command::new(cargo())
            .args(["build", "--quiet", "--package", package, "--example", example])
            .current_dir(workspace_root())
            .status();
        if !built.is_ok_and(|status| status.success()) {
            return Err(format!("{example} could not be built"));
        }
        let mut child = Command::new(target_folder().join("debug/examples").join(example))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{example} could not be started: {error}"))?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            let _ = BufReader::new(output).read_line(&mut line);
        }
        Ok(Self { child, line })
    }

    fn member(&self, name: &str) -> Result<String, String> {
        let rest = self.line.split_once(&format!("\"{name}\":\"")).map(|(_, rest)| rest);
        let value = rest.and_then(|rest| rest.split_once('"')).map(|(value, _)| value.to_owned());
        value.ok_or_else(|| format!("a server did not become ready; it said: {}", self.line))
    }
}

impl Drop for ExampleServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn signalr_clients() -> ExitCode {
    match run_all() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            eprintln!("{failed} scenarios failed");
            ExitCode::FAILURE
        }
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn run_all() -> Result<usize, String> {
    let mut results = Vec::new();
    for library in LIBRARIES.chunks(1) {
        // A hub of its own for each client: every run ends with the shutdown of one.
        let hub = ExampleServer::start("planisphere-signalr", "hub_server")?;
        let chat = ExampleServer::start("planisphere-chat", "chat_server")?;
        let (endpoint, forwarder) = (hub.member("endpoint")?, hub.member("forwarder")?);
        let chat_endpoint = chat.member("endpoint")?;
        let more = ["--endpoint", &endpoint, "--forwarder", &forwarder, "--chat", &chat_endpoint];
        results.extend(run_clients("signalr", library, &more)?);
    }
    let text = client_table(OPENING, &results);
    fs::write(workspace_root().join(TABLE), text).map_err(|error| format!("{TABLE}: {error}"))?;
    println!("wrote {TABLE}");
    Ok(count_failed(&results))
}
