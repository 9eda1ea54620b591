//! Databases on one private PostgreSQL, which stops with the last of them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use scratch_postgres::{NOT_INSTALLED, ScratchPostgres};
use tokio::sync::Mutex;
use tokio_postgres::NoTls;

/// A database of one test.
pub(crate) struct TestDatabase {
    server: Arc<ScratchPostgres>,
    name: String,
}

static RUNNING: Mutex<Weak<ScratchPostgres>> = Mutex::const_new(Weak::new());
static DATABASES: AtomicU32 = AtomicU32::new(0);

impl TestDatabase {
    /// An empty database; `None`, said by the name of the test, where there is no PostgreSQL.
    #[allow(clippy::print_stderr, reason = "a skipped test says so")]
    pub(crate) async fn create(test: &str) -> Option<Self> {
        let mut running = RUNNING.lock().await;
        let server = match running.upgrade() {
            Some(server) => server,
            None => {
                let settings = ["fsync=off", "max_connections=400"];
                let Some(server) = ScratchPostgres::start(&settings).unwrap() else {
                    eprintln!("SKIPPED {test}: {NOT_INSTALLED}");
                    return None;
                };
                let server = Arc::new(server);
                *running = Arc::downgrade(&server);
                server
            }
        };
        drop(running);
        let name = format!("test{}", DATABASES.fetch_add(1, Ordering::Relaxed));
        let client = connect(&server.address("postgres", "postgres")).await;
        client.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        Some(Self { server, name })
    }

    pub(crate) fn address(&self) -> String {
        self.address_as("postgres")
    }

    pub(crate) fn address_as(&self, role: &str) -> String {
        self.server.address(role, &self.name)
    }

    /// The address behind another socket.
    pub(crate) fn address_at(&self, folder: &str, role: &str) -> String {
        format!("host={folder} user={role} dbname={}", self.name)
    }

    /// The server's socket.
    pub(crate) fn socket(&self) -> PathBuf {
        self.server.socket()
    }

    pub(crate) async fn connect(&self) -> tokio_postgres::Client {
        connect(&self.address()).await
    }
}

async fn connect(address: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await.unwrap();
    tokio::spawn(async move {
        // An error means that the test is over and the server stopped.
        let _ = connection.await;
    });
    client
}
