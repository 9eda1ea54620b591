//! `conformance --signalr`: the official clients of SignalR against a hub of ours and against the chat, and the table
//! of their results.
//!
//! Does not own what is expected: each client has its runner in `conformance/signalr`.

use std::process::ExitCode;

use crate::conformance::{
    ClientLibrary, ReadyServer, clients_exit_code, run_clients, write_client_table,
};

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

pub(super) fn signalr_clients() -> ExitCode {
    clients_exit_code(run_all())
}

fn run_all() -> Result<usize, String> {
    let mut results = Vec::new();
    for library in LIBRARIES.chunks(1) {
        // A hub of its own for each client: every run ends with the shutdown of one.
        let hub = ReadyServer::start_example("planisphere-signalr", "hub_server")?;
        let chat = ReadyServer::start_example("planisphere-chat", "chat_server")?;
        let (endpoint, forwarder) = (hub.member("endpoint")?, hub.member("forwarder")?);
        let chat_endpoint = chat.member("endpoint")?;
        let more = ["--endpoint", &endpoint, "--forwarder", &forwarder, "--chat", &chat_endpoint];
        results.extend(run_clients("signalr", library, &more)?);
    }
    write_client_table(TABLE, OPENING, &results)
}
