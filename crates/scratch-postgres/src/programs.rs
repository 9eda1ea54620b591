//! Where PostgreSQL's programs are, and whom they run as.
//!
//! Owns the search and the user. PostgreSQL refuses to run as root; then the account `postgres` of its package runs it.
//! Does not own a server.

use std::fs;
use std::io::{Error, Result};
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a skipped test or an empty cell says.
pub const NOT_INSTALLED: &str = "there is no PostgreSQL (apt-get install postgresql)";

/// Where Debian keeps the programs of each release.
const DEBIAN: &str = "/usr/lib/postgresql";
/// A folder of programs that comes before all others, for a build with extensions.
const FOLDER_VARIABLE: &str = "SCRATCH_POSTGRES_BIN";

/// The programs of one release.
#[derive(Clone, Debug)]
pub struct PostgresPrograms {
    folder: PathBuf,
    user: Option<ServerUser>,
}

/// Whom the server runs as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ServerUser {
    user: u32,
    group: u32,
}

impl PostgresPrograms {
    /// The newest release; `None` if there is none.
    ///
    /// # Errors
    /// If this process is root and there is no account `postgres`.
    pub fn find() -> Result<Option<Self>> {
        let Some(folder) = folder() else { return Ok(None) };
        let user = match fs::metadata("/proc/self")?.uid() {
            0 => Some(postgres_account(&fs::read_to_string("/etc/passwd")?)?),
            _ => None,
        };
        Ok(Some(Self { folder, user }))
    }

    /// A program, run as the user of the server, without any output.
    #[must_use]
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.folder.join(name));
        if let Some(ServerUser { user, group }) = self.user {
            command.uid(user).gid(group);
        }
        // A folder that the account can enter; ours may be closed to it.
        command.current_dir("/").env_remove("PGDATA").stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Gives a folder to the user of the server.
    pub(crate) fn give(&self, folder: &Path) -> Result<()> {
        match self.user {
            Some(ServerUser { user, group }) => chown(folder, Some(user), Some(group)),
            None => Ok(()),
        }
    }
}

/// The named folder, the newest release of Debian's folders, or whatever the path leads to.
fn folder() -> Option<PathBuf> {
    let releases = fs::read_dir(DEBIAN).ok().into_iter().flatten().flatten();
    let mut folders: Vec<(u32, PathBuf)> = releases
        .filter_map(|release| {
            let number = release.file_name().to_str()?.parse().ok()?;
            Some((number, release.path().join("bin")))
        })
        .collect();
    folders.sort();
    let named = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from);
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let releases = folders.into_iter().rev().map(|(_, folder)| folder);
    let mut candidates = named.into_iter().chain(releases).chain(std::env::split_paths(&on_path));
    candidates.find(|folder| {
        ["initdb", "postgres", "pg_ctl"].iter().all(|name| folder.join(name).is_file())
    })
}

fn postgres_account(accounts: &str) -> Result<ServerUser> {
    let line = accounts.lines().find_map(|line| line.strip_prefix("postgres:"));
    let mut numbers = line.unwrap_or_default().split(':').skip(1);
    let mut number = || numbers.next().and_then(|number| number.parse().ok());
    match (number(), number()) {
        (Some(user), Some(group)) => Ok(ServerUser { user, group }),
        _ => Err(Error::other("PostgreSQL does not run as root, and there is no account postgres")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_account_is_found_among_others() {
        let accounts = "root:x:0:0:root:/root:/bin/sh\npostgres:x:101:103::/var/lib:/bin/sh\n";
        assert_eq!(postgres_account(accounts).unwrap(), ServerUser { user: 101, group: 103 });
        assert!(postgres_account("root:x:0:0:root:/root:/bin/sh\n").is_err());
    }
}
