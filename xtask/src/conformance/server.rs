//! The servers that clients talk to: built, started on a free port, and stopped when the value is dropped.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::runner::target_folder;
use crate::reading::workspace_root;
use crate::test::{FULL, cargo};

/// A server of ours that prints one line of JSON when it is ready; killed when the value is dropped.
#[derive(Debug)]
pub(crate) struct ReadyServer {
    child: Child,
    line: String,
}

impl ReadyServer {
    /// Starts a command and waits for its line.
    pub(crate) fn start(command: &mut Command) -> Result<Self, String> {
        let program = command.get_program().display().to_string();
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{program} could not be started: {error}"))?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            // The pipe is closed here; a server prints nothing more.
            let _ = BufReader::new(output).read_line(&mut line);
        }
        Ok(Self { child, line })
    }

    /// Starts the binary, which was built before.
    pub(crate) fn start_binary(arguments: &[&str]) -> Result<Self, String> {
        Self::start(Command::new(target_folder().join("debug/planisphere")).args(arguments))
    }

    /// Builds and starts an example of a package.
    pub(crate) fn start_example(package: &str, example: &str) -> Result<Self, String> {
        let built = Command::new(cargo())
            .args(["build", "--quiet", "--package", package, "--example", example])
            .current_dir(workspace_root())
            .status();
        if !built.is_ok_and(|status| status.success()) {
            return Err(format!("{example} could not be built"));
        }
        Self::start(&mut Command::new(target_folder().join("debug/examples").join(example)))
    }

    /// A member of the line; without it the server did not become ready.
    pub(crate) fn member(&self, name: &str) -> Result<String, String> {
        member(&self.line, name)
            .ok_or_else(|| format!("a server did not become ready; it said: {}", self.line))
    }
}

impl Drop for ReadyServer {
    fn drop(&mut self) {
        // A server that has ended already is what we want.
        let _ = self.child.kill();
        // Without it the killed process would stay a zombie until we end.
        let _ = self.child.wait();
    }
}

/// The database server.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    _process: ReadyServer,
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
        // Port 0: the system chooses a free one, so runs beside each other do not collide. The chosen one is in the
        // ready line.
        let words = ["serve", "--memory", "--port", "0", "--ready-json", "--test-control"];
        let process = ReadyServer::start_binary(&[words.as_slice(), more].concat())?;
        let (endpoint, key) = (process.member("endpoint")?, process.member("key")?);
        Ok(Self { _process: process, endpoint, key })
    }

    pub(crate) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    pub(crate) fn key(&self) -> &str {
        &self.key
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
