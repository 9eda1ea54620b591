//! The server as a process: start, signals, end.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use model::Json;

use crate::planisphere::BINARY;

/// A running server. Killed when it is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
}

/// A server that did not start.
#[derive(Debug)]
pub(crate) struct StartRefused {
    pub(crate) code: Option<i32>,
    pub(crate) messages: String,
}

impl Server {
    /// Starts the server on a folder and waits until it is ready.
    pub(crate) fn start(
        store: &Path,
        messages: &Path,
        is_relaxed: bool,
    ) -> Result<Self, StartRefused> {
        let mut command = Command::new(BINARY);
        command
            .args(["serve", "--port", "0", "--ready-json", "--no-explorer", "--data"])
            .arg(store);
        if is_relaxed {
            command.arg("--relaxed");
        }
        // A file, because nobody empties a pipe while the server runs.
        let file = File::create(messages).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(file).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let ready = Json::parse(line.trim().as_bytes()).ok();
        let endpoint = ready.as_ref().and_then(|ready| ready.get("ready")?.get("endpoint"));
        let port = endpoint.and_then(Json::as_str).and_then(|endpoint| {
            endpoint.trim_end_matches('/').rsplit(':').next()?.parse::<u16>().ok()
        });
        match port {
            Some(port) => Ok(Self { child, port }),
            None => {
                let code = child.wait().unwrap().code();
                let messages = std::fs::read_to_string(messages).unwrap_or_default();
                Err(StartRefused { code, messages })
            }
        }
    }

    /// `kill -9`, which a stopped process obeys too.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks the process to end, as an operator does.
    pub(crate) fn terminate(mut self) -> Result<(), String> {
        self.signal("TERM");
        match self.child.wait().unwrap().code() {
            Some(0) => Ok(()),
            other => Err(format!("the server ended with {other:?} after SIGTERM")),
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success(), "{name}");
    }

    /// The status of a server that has ended by itself.
    pub(crate) fn ended(&mut self) -> Option<std::process::ExitStatus> {
        self.child.try_wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended if it was killed or asked to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
