//! A PostgreSQL server in a scratch folder, reached through a socket in that folder.
//!
//! Owns finding the programs, starting and stopping, and what the server takes of the machine. PostgreSQL refuses to
//! run as root; then the account `postgres` that its package makes runs it. Everything goes when the value is dropped.
//! Does not own which settings a measurement needs.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use postgres::{Client, NoTls};
use tempfile::TempDir;

use crate::meter::{cpu_of_family, proportional_bytes_of_family};
use crate::{Error, Result, progress};

/// What the cell says without PostgreSQL.
pub(crate) const NOT_INSTALLED: &str = "not installed: apt-get install postgresql";

/// Where Debian keeps the programs of each release.
const DEBIAN: &str = "/usr/lib/postgresql";
const START_TRIES: u32 = 300;
const TRY_EVERY: Duration = Duration::from_millis(100);
/// Names the socket in the folder; nobody listens on the network.
const PORT: u16 = 5432;

/// A running server.
pub(crate) struct ScratchServer {
    programs: PathBuf,
    folder: TempDir,
    account: Option<ServerUser>,
    process: Child,
}

/// Whom the server runs as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ServerUser {
    user: u32,
    group: u32,
}

impl ScratchServer {
    /// Starts one with these settings (`name=value`); nothing when PostgreSQL is not installed.
    pub(crate) fn start(settings: &[&str]) -> Result<Option<Self>> {
        let Some(programs) = programs() else {
            return Ok(None);
        };
        progress::step("PostgreSQL: starting a scratch server");
        let account = match fs::metadata("/proc/self")?.uid() {
            0 => Some(postgres_account(&fs::read_to_string("/etc/passwd")?)?),
            _ => None,
        };
        let folder = tempfile::Builder::new().prefix("benchmarks-postgresql").tempdir()?;
        if let Some(account) = account {
            chown(folder.path(), Some(account.user), Some(account.group))?;
        }
        let data = folder.path().join("data");
        let mut initdb = command(&programs, "initdb", account);
        initdb.arg("-D").arg(&data).args(["-U", "postgres", "-A", "trust", "-E", "UTF8"]);
        initdb.args(["--locale=C", "--no-sync"]).stdout(Stdio::null());
        if !initdb.status()?.success() {
            return Err("initdb failed; its message is above".into());
        }
        let mut server = command(&programs, "postgres", account);
        server.arg("-D").arg(&data).arg("-k").arg(folder.path());
        server.arg("-p").arg(PORT.to_string()).args(["-c", "listen_addresses="]);
        for setting in settings {
            server.arg("-c").arg(setting);
        }
        let log = File::create(folder.path().join("log"))?;
        let process = server.stdout(log.try_clone()?).stderr(log).spawn()?;
        let mut server = Self { programs, folder, account, process };
        server.wait_until_ready()?;
        Ok(Some(server))
    }

    pub(crate) fn connect(&self) -> Result<Client> {
        let folder = self.folder.path().display();
        let address = format!("host={folder} port={PORT} user=postgres dbname=postgres");
        Ok(Client::connect(&address, NoTls)?)
    }

    /// Its files.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Processor time of all its processes, those that have ended included.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        cpu_of_family(self.process.id())
    }

    /// Memory of all its processes; what they share is counted once.
    pub(crate) fn resident_bytes(&self) -> Result<u64> {
        proportional_bytes_of_family(self.process.id())
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        for _ in 0..START_TRIES {
            if self.connect().is_ok() {
                return Ok(());
            }
            if self.process.try_wait()?.is_some() {
                break;
            }
            std::thread::sleep(TRY_EVERY);
        }
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        Err(format!("PostgreSQL did not start: {log}").into())
    }
}

impl Drop for ScratchServer {
    fn drop(&mut self) {
        let mut stop = command(&self.programs, "pg_ctl", self.account);
        stop.arg("-D").arg(self.folder.path().join("data")).args(["-m", "fast", "-w", "stop"]);
        let stopped = stop.stdout(Stdio::null()).status();
        if !stopped.is_ok_and(|status| status.success()) {
            // It may have ended by itself; killing what is gone does no harm.
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

fn command(programs: &Path, name: &str, account: Option<ServerUser>) -> Command {
    let mut command = Command::new(programs.join(name));
    if let Some(ServerUser { user, group }) = account {
        command.uid(user).gid(group);
    }
    // A folder that the account can enter; ours may be closed to it.
    command.current_dir("/").env_remove("PGDATA").stdin(Stdio::null());
    command
}

/// The newest release of Debian's folders, or whatever the path leads to.
fn programs() -> Option<PathBuf> {
    let releases = fs::read_dir(DEBIAN).ok().into_iter().flatten().flatten();
    let mut folders: Vec<(u32, PathBuf)> = releases
        .filter_map(|release| {
            let number = release.file_name().to_str()?.parse().ok()?;
            Some((number, release.path().join("bin")))
        })
        .collect();
    folders.sort();
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let candidates = folders.into_iter().rev().map(|(_, folder)| folder);
    let mut candidates = candidates.chain(std::env::split_paths(&on_path));
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
        _ => Err(Error::from("PostgreSQL does not run as root, and there is no account postgres")),
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
