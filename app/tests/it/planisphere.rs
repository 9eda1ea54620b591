//! Running the binary and looking at what it says.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

/// What the binary said and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_planisphere");

pub(crate) fn planisphere<S: AsRef<OsStr>>(words: impl IntoIterator<Item = S>) -> Said {
    Said::of(&Command::new(BINARY).args(words).output().unwrap())
}

/// A command on a folder.
pub(crate) fn on(command: &str, folder: &Path) -> Said {
    planisphere([OsStr::new(command), OsStr::new("--data"), folder.as_os_str()])
}

/// A small store with the container `bench/items`, made by the binary itself.
pub(crate) fn filled(folder: &Path) {
    let partition_key = r#"{"paths":["/partitionKey"],"kind":"Hash","version":2}"#;
    let container = format!(r#"{{"id":"items","partitionKey":{partition_key}}}"#);
    let mut lines = format!("{{\"planisphereExport\":1,\"container\":{container}}}\n");
    for number in 0..300 {
        let key = number % 7;
        lines += &format!(r#"{{"id":"i{number}","partitionKey":"k{key}","number":{number}}}"#);
        lines += "\n";
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), lines).unwrap();
    let (data, file) = (folder.as_os_str(), file.path().as_os_str());
    let named = ["import", "--database", "bench", "--container", "items"].map(OsStr::new);
    let flags = [OsStr::new("--data"), data, OsStr::new("--file"), file];
    planisphere(named.into_iter().chain(flags)).succeeded();
}

impl Said {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output.status.code().expect("it ends by itself");
        let said = Self { code, out: text(&output.stdout), err: text(&output.stderr) };
        assert!(!said.err.contains("panicked"), "{said:?}");
        assert!(!said.err.contains("RUST_BACKTRACE"), "{said:?}");
        said
    }

    pub(crate) fn succeeded(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }

    /// It could not be carried out; one line names the path, the reason and the way out.
    pub(crate) fn refused(&self, path: &Path, reason: &str, way_out: &str) {
        assert_eq!(self.code, 2, "{self:?}");
        let path = path.display().to_string();
        for words in ["planisphere: ", &path, reason, way_out] {
            assert!(self.err.contains(words), "{:?} does not say {words:?}", self.err);
        }
        assert_eq!(self.err.lines().count(), 1, "{self:?}");
    }
}
