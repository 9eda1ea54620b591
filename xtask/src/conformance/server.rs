//! The server that the libraries talk to: built, started on a free port, and stopped when the value is dropped.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::runner::target_folder;
use crate::reading::workspace_root;
use crate::test::{FULL, cargo};

/// A running server.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    child: Child,
    endpoint: String,
    key: String,
}

impl ServerProcess {
    /// Builds the binary the way the tests do: with the features of the whole workspace. After `cargo test --workspace`
    /// nothing has to be compiled again.
    pub(crate) fn build() -> Result<(), String> {
        let built = Command::new(cargo())
            .args(["test", "--workspace", "--features", FULL, "--no-run", "--quiet"])
            .current_dir(workspace_root())
            .status();
        match built.is_ok_and(|status| status.success()) {
            true => Ok(()),
            false => Err("the server could not be built".to_owned()),
        }
    }

    /// Starts the binary on an account in memory, with more words on its command line.
    pub(crate) fn start(more: &[&str]) -> Result<Self, String> {
        let mut child = Command::new(target_folder().join("debug/planisphere"))
            // Port 0: the system chooses a free one, so runs beside each other do not collide. The chosen one is in
            // the ready line.
            .args(["serve", "--memory", "--port", "0", "--ready-json", "--test-control"])
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the server could not be started: {error}"))?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            // The pipe is closed here; the server prints nothing more.
            let _ = BufReader::new(output).read_line(&mut line);
        }
        let (endpoint, key) = (member(&line, "endpoint"), member(&line, "key"));
        // Built before the check, so that a server which did not become ready is killed by the drop.
        let mut server = Self { child, endpoint: String::new(), key: String::new() };
        let (Some(endpoint), Some(key)) = (endpoint, key) else {
            return Err(format!("the server did not become ready; it said: {line}"));
        };
        (server.endpoint, server.key) = (endpoint, key);
        Ok(server)
    }

    pub(crate) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    pub(crate) fn key(&self) -> &str {
        &self.key
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // A server that has ended already is what we want.
        let _ = self.child.kill();
        // Without it the killed process would stay a zombie until we end.
        let _ = self.child.wait();
    }
}

/// A member of the ready line that is a text without escapes.
fn member(line: &str, name: &str) -> Option<String> {
    let (_, rest) = line.split_once(&format!("\"{name}\":\""))?;
    rest.split_once('"').map(|(value, _)| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::member;

    #[test]
    fn the_ready_line_is_read() {
        let line = r#"{"ready":{"endpoint":"http://localhost:1/","key":"k=="}}"#;
        assert_eq!(member(line, "endpoint").as_deref(), Some("http://localhost:1/"));
        assert_eq!(member(line, "key").as_deref(), Some("k=="));
        assert_eq!(member(line, "data"), None);
    }
}
