//! `conformance --signalr`: the official clients of SignalR against a hub of ours, and the table of their results.
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
`crates/signalr/examples/hub_server.rs`. Written by `cargo xtask conformance --signalr` from the results of one run.
A cell is passed scenarios / scenarios of the client. The Java client has no Server-Sent Events and does not
reconnect; the package of its MessagePack protocol is not in the registry that this run had, so MessagePack was run
with the JavaScript client.
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

/// A hub, stopped when it is dropped.
struct HubProcess {
    child: Child,
    endpoint: String,
    forwarder: String,
}

impl HubProcess {
    fn start() -> Result<Self, String> {
        let built = Command::new(cargo())
            .args([
                "build",
                "--quiet",
                "--package",
                "planisphere-signalr",
                "--example",
                "hub_server",
            ])
            .current_dir(workspace_root())
            .status();
        if !built.is_ok_and(|status| status.success()) {
            return Err("the hub could not be built".to_owned());
        }
        let mut child = Command::new(target_folder().join("debug/examples/hub_server"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the hub could not be started: {error}"))?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            let _ = BufReader::new(output).read_line(&mut line);
        }
        let member = |name: &str| {
            let (_, rest) = line.split_once(&format!("\"{name}\":\""))?;
            rest.split_once('"').map(|(value, _)| value.to_owned())
        };
        let (endpoint, forwarder) = (member("endpoint"), member("forwarder"));
        // Built before the check, so that a hub which did not become ready is killed by the drop.
        let mut hub = Self { child, endpoint: String::new(), forwarder: String::new() };
        let (Some(endpoint), Some(forwarder)) = (endpoint, forwarder) else {
            return Err(format!("the hub did not become ready; it said: {line}"));
        };
        (hub.endpoint, hub.forwarder) = (endpoint, forwarder);
        Ok(hub)
    }
}

impl Drop for HubProcess {
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
        let hub = HubProcess::start()?;
        let more = ["--endpoint", &hub.endpoint, "--forwarder", &hub.forwarder];
        results.extend(run_clients("signalr", library, &more)?);
    }
    let text = client_table(OPENING, &results);
    fs::write(workspace_root().join(TABLE), text).map_err(|error| format!("{TABLE}: {error}"))?;
    println!("wrote {TABLE}");
    Ok(count_failed(&results))
}
