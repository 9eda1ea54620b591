//! A private PostgreSQL in a temporary folder, reached through a socket in it. It stops with the last database.
//!
//! PostgreSQL refuses to run as root; then the account `postgres` of its package runs it.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio_postgres::NoTls;

struct TestServer {
    folder: tempfile::TempDir,
    process: Child,
}

/// A database of one test.
pub(crate) struct TestDatabase {
    server: Arc<TestServer>,
    name: String,
}

static RUNNING: Mutex<Weak<TestServer>> = Mutex::const_new(Weak::new());
static DATABASES: AtomicU32 = AtomicU32::new(0);

impl TestDatabase {
    /// An empty database; `None`, said by the name of the test, where there is no PostgreSQL.
    #[allow(clippy::print_stderr, reason = "a skipped test says so")]
    pub(crate) async fn create(test: &str) -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("SKIPPED {test}: there is no PostgreSQL (apt-get install postgresql)");
            return None;
        };
        let server = {
            let mut running = RUNNING.lock().await;
            match running.upgrade() {
                Some(server) => server,
                None => {
                    let server = Arc::new(TestServer::start(&programs).await);
                    *running = Arc::downgrade(&server);
                    server
                }
            }
        };
        let name = format!("test{}", DATABASES.fetch_add(1, Ordering::Relaxed));
        let client = server.connect("postgres", "postgres").await.unwrap();
        client.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        Some(Self { server, name })
    }

    pub(crate) fn address(&self) -> String {
        self.address_as("postgres")
    }

    pub(crate) fn address_as(&self, role: &str) -> String {
        self.address_at(&self.folder().display().to_string(), role)
    }

    /// The address behind another socket.
    pub(crate) fn address_at(&self, folder: &str, role: &str) -> String {
        format!("host={folder} user={role} dbname={}", self.name)
    }

    /// The folder of the server's socket.
    pub(crate) fn folder(&self) -> PathBuf {
        self.server.folder.path().to_owned()
    }

    pub(crate) async fn connect(&self) -> tokio_postgres::Client {
        self.server.connect("postgres", &self.name).await.unwrap()
    }
}

impl TestServer {
    async fn start(programs: &std::path::Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let account = match fs::metadata("/proc/self").unwrap().uid() {
            0 => Some(postgres_account()),
            _ => None,
        };
        if let Some((user, group)) = account {
            chown(folder.path(), Some(user), Some(group)).unwrap();
        }
        let command = |name: &str| {
            let mut command = Command::new(programs.join(name));
            if let Some((user, group)) = account {
                command.uid(user).gid(group);
            }
            // A folder that the account can enter.
            command.current_dir("/").env_remove("PGDATA").stdin(Stdio::null());
            command.stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        let data = folder.path().join("data");
        let mut initdb = command("initdb");
        initdb.arg("-D").arg(&data).args(["-U", "postgres", "-A", "trust", "-E", "UTF8"]);
        assert!(initdb.args(["--locale=C", "--no-sync"]).status().unwrap().success());
        let mut postgres = command("postgres");
        postgres.arg("-D").arg(&data).arg("-k").arg(folder.path());
        for setting in ["listen_addresses=", "fsync=off", "max_connections=400"] {
            postgres.args(["-c", setting]);
        }
        let process = postgres.spawn().unwrap();
        let server = Self { folder, process };
        for _ in 0..3_000 {
            if server.connect("postgres", "postgres").await.is_ok() {
                return server;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("PostgreSQL does not start");
    }

    async fn connect(
        &self,
        role: &str,
        database: &str,
    ) -> Result<tokio_postgres::Client, tokio_postgres::Error> {
        let folder = self.folder.path().display();
        let address = format!("host={folder} user={role} dbname={database}");
        let (client, connection) = tokio_postgres::connect(&address, NoTls).await?;
        tokio::spawn(async move {
            // An error means that the test is over and the server stopped.
            let _ = connection.await;
        });
        Ok(client)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        // Nothing of it is needed any more.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The newest release of Debian's folders, or whatever the path leads to.
fn programs() -> Option<PathBuf> {
    let releases = fs::read_dir("/usr/lib/postgresql").ok().into_iter().flatten().flatten();
    let mut folders: Vec<_> = releases.map(|release| release.path().join("bin")).collect();
    folders.sort();
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let mut candidates = folders.into_iter().rev().chain(std::env::split_paths(&on_path));
    candidates.find(|folder| folder.join("initdb").is_file() && folder.join("postgres").is_file())
}

fn postgres_account() -> (u32, u32) {
    let accounts = fs::read_to_string("/etc/passwd").unwrap();
    let line = accounts.lines().find_map(|line| line.strip_prefix("postgres:"));
    let numbers: Vec<u32> =
        line.unwrap().split(':').skip(1).take(2).map(|text| text.parse().unwrap()).collect();
    (numbers[0], numbers[1])
}
