//! Databases on one private PostgreSQL, which stops with the last of them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use planisphere_storage_postgres::{PostgresLocation, PostgresSettings, PostgresStore};
use scratch_postgres::{NOT_INSTALLED, ScratchPostgres};
use storage::Space;
use tokio::sync::Mutex;
use tokio_postgres::NoTls;

pub(crate) const ITEMS: Space =
    Space { number: 1, name: "items", prefix_bytes: 0, buffered: false };

/// A database of one test, with as many stores as it wants.
pub(crate) struct TestDatabase {
    server: Arc<ScratchPostgres>,
    name: String,
}

static RUNNING: Mutex<Weak<ScratchPostgres>> = Mutex::const_new(Weak::new());
static DATABASES: AtomicU32 = AtomicU32::new(0);

impl TestDatabase {
    /// An empty database; `None`, said by the name of the test, where there is no PostgreSQL.
    pub(crate) async fn create(test: &str) -> Option<Self> {
        let mut running = RUNNING.lock().await;
        let server = match running.upgrade() {
            Some(server) => server,
            None => {
                let server = Arc::new(start(test, &["max_connections=400"])?);
                *running = Arc::downgrade(&server);
                server
            }
        };
        drop(running);
        let name = format!("test{}", DATABASES.fetch_add(1, Ordering::Relaxed));
        let database = Self { server, name };
        let client = connect(&database.server.address("postgres", "postgres")).await;
        client.batch_execute(&format!("CREATE DATABASE {}", database.name)).await.unwrap();
        Some(database)
    }

    pub(crate) fn server(&self) -> &ScratchPostgres {
        &self.server
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn url(&self) -> String {
        self.server.url("postgres", &self.name)
    }

    pub(crate) fn location(&self) -> PostgresLocation {
        PostgresLocation::parse(&self.url()).unwrap()
    }

    pub(crate) async fn open(&self) -> Arc<PostgresStore> {
        PostgresStore::open(&self.location(), small()).await.unwrap()
    }

    pub(crate) async fn client(&self) -> tokio_postgres::Client {
        connect(&self.server.address("postgres", &self.name)).await
    }
}

/// A server of one test.
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn start(test: &str, settings: &[&str]) -> Option<ScratchPostgres> {
    let settings = [&["fsync=off"], settings].concat();
    let server = ScratchPostgres::start(&settings).unwrap();
    if server.is_none() {
        eprintln!("SKIPPED {test}: {NOT_INSTALLED}");
    }
    server
}

/// Few connections: the tests of this crate share one server.
pub(crate) fn small() -> PostgresSettings {
    PostgresSettings {
        shared_connections: 2,
        exclusive_connections: 4,
        snapshot_connections: 2,
        ..PostgresSettings::default()
    }
}

pub(crate) async fn connect(address: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await.unwrap();
    tokio::spawn(async move {
        // An error means that the test is over and the server stopped.
        let _ = connection.await;
    });
    client
}
