//! What the tests with real processes share: an account behind our gateway, two vaults that are servers of this
//! program, and workers that are processes of their own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use client::{Account, Environment, StorageLocation};
use engine::Engine;
use gateway::{EMULATOR_KEY, Gateway, GatewaySettings};
use secret_migration::{
    EnvelopeKeys, ExpectedVersion, HashiSecrets, MigrationStatus, NamespaceName, NoRollout,
    Platforms, SecretBackend, SecretData, SecretLocation, SecretMigration, SecretSource as _,
    SecretTarget as _, SourceReference, TrackedWorkload, UtcTimestamp, VaultClient, VaultServer,
    VaultServerSettings, VaultSettings, WorkloadKey,
};
use service::settings::Secret;
use tokio::net::TcpListener;

use crate::world::{CLUSTER, cluster, mapping, settings};

const TOKEN: &str = "root-of-the-tests";
/// Part of every value in the source.
pub(super) const CANARY: &str = "canary-tweety-in-memory-4711";

/// The worker program, built together with this test.
fn worker() -> PathBuf {
    let this = std::env::current_exe().unwrap();
    let profile = this.parent().and_then(Path::parent).unwrap();
    let worker = profile.join("examples").join("migration_worker");
    assert!(worker.exists(), "build it first: cargo build --examples");
    worker
}

/// The certificate of both vaults, and the file that names it to clients.
struct Certified {
    acceptor: tokio_rustls::TlsAcceptor,
    file: tempfile::NamedTempFile,
}

impl Certified {
    fn new() -> Self {
        use tokio_rustls::rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer};
        let names = vec!["localhost".to_owned()];
        let rcgen::CertifiedKey { cert, signing_key } =
            rcgen::generate_simple_self_signed(names).unwrap();
        let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
        let tls = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), cert.pem()).unwrap();
        Self { acceptor: tokio_rustls::TlsAcceptor::from(Arc::new(tls)), file }
    }
}

/// Connections with TLS.
struct CertifiedListener {
    listener: TcpListener,
    acceptor: tokio_rustls::TlsAcceptor,
}

impl axum::serve::Listener for CertifiedListener {
    type Io = tokio_rustls::server::TlsStream<tokio::net::TcpStream>;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (socket, address) = self.listener.accept().await.unwrap();
            if let Ok(stream) = self.acceptor.accept(socket).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

async fn start_vault(certified: Option<&Certified>) -> String {
    let account = Account::embedded(StorageLocation::Memory).await.unwrap();
    let settings = VaultServerSettings {
        database: "vault".to_owned(),
        root_token: Secret::new(TOKEN),
        keys: vec![EnvelopeKeys::generate().unwrap()],
    };
    let vault = VaultServer::open(&account, &settings).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let Some(certified) = certified else {
        tokio::spawn(async move { axum::serve(listener, vault.router()).await.unwrap() });
        return format!("http://{address}");
    };
    let listener = CertifiedListener { listener, acceptor: certified.acceptor.clone() };
    tokio::spawn(async move { axum::serve(listener, vault.router()).await.unwrap() });
    format!("https://localhost:{}", address.port())
}

/// A server, two vaults, and workloads that wait.
pub(super) struct Ground {
    place: String,
    source: String,
    target: String,
    certified: Option<Certified>,
    workloads: Vec<WorkloadKey>,
}

impl Ground {
    pub(super) async fn with(workloads: usize) -> Self {
        Self::over(None, workloads).await
    }

    /// The same with vaults that speak TLS.
    pub(super) async fn with_tls(workloads: usize) -> Self {
        Self::over(Some(Certified::new()), workloads).await
    }

    async fn over(certified: Option<Certified>, workloads: usize) -> Self {
        let engine = Engine::simulated(Environment::system()).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let gateway = Gateway::new(engine, GatewaySettings::default());
        tokio::spawn(async move { gateway.serve(listener, std::future::pending()).await });
        let place = format!("AccountEndpoint=http://{address}/;AccountKey={EMULATOR_KEY};");
        let source = start_vault(certified.as_ref()).await;
        let target = start_vault(certified.as_ref()).await;
        let mut ground = Self { place, source, target, certified, workloads: Vec::new() };
        let system = ground.open(Environment::system()).await;
        let shop = NamespaceName::parse("shop").unwrap();
        let namespaces = vec![(shop, mapping("apps/shop"))];
        system.sync_namespaces(&cluster(CLUSTER), namespaces).await.unwrap();
        for number in 0..workloads {
            let key = ground.add(&system, &format!("cart-{number}")).await;
            ground.workloads.push(key);
        }
        ground
    }

    /// The file with the certificate of the vaults; empty without TLS.
    fn ca_file(&self) -> String {
        let file = self.certified.as_ref().map(|certified| certified.file.path().display());
        file.map(|file| file.to_string()).unwrap_or_default()
    }

    fn client_of(&self, address: &str) -> VaultClient {
        let settings = VaultSettings {
            address: address.to_owned(),
            token: Secret::new(TOKEN),
            ca_file: self.ca_file(),
            ..VaultSettings::default()
        };
        VaultClient::open(settings, Environment::system()).unwrap()
    }

    pub(super) async fn open(&self, environment: Environment) -> SecretMigration {
        let account = Account::open(&self.place).await.unwrap();
        let platforms = Platforms {
            source: Arc::new(self.client_of(&self.source)),
            target: Arc::new(self.client_of(&self.target)),
            rollout: Arc::new(NoRollout),
        };
        SecretMigration::open(account, settings(), environment, platforms).await.unwrap()
    }

    async fn add(&self, system: &SecretMigration, name: &str) -> WorkloadKey {
        let key = WorkloadKey::parse(CLUSTER, "shop", name).unwrap();
        let vault = self.client_of(&self.source);
        let mut items = Vec::new();
        for part in ["db", "mail"] {
            let path = format!("{name}/{part}");
            let text = format!(r#"{{"password":"{CANARY}-{part}"}}"#);
            let data = SecretData::parse(text.as_bytes()).unwrap();
            vault.write(&path, &data, &ExpectedVersion::Absent).await.unwrap();
            items.push(SourceReference { path, ..SourceReference::default() });
        }
        let secrets = HashiSecrets { mount: "secret".to_owned(), items, ..HashiSecrets::default() };
        let now = UtcTimestamp::now(&Environment::system());
        let workload = TrackedWorkload::discovered(&key, None, secrets, "test", now);
        system.containers().workloads.create(&key.partition_key(), &workload).await.unwrap();
        key
    }

    /// Starts a worker that blocks at a step.
    pub(super) fn start(&self, step: &str, recorded: bool) -> Worker {
        let (cluster, recorded) = (CLUSTER, recorded.to_string());
        let mut child = Command::new(worker())
            .args([&self.place, &self.source, &self.target, TOKEN, cluster, step, &recorded])
            .arg(self.ca_file())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Worker { child, output }
    }

    pub(super) async fn check(&self, system: &SecretMigration, what: &str) {
        let target = self.client_of(&self.target);
        for key in &self.workloads {
            let workload = system.workload(key).await.unwrap().0;
            let state = (workload.migration_status, workload.secret_backend);
            assert_eq!(state, (MigrationStatus::Migrated, SecretBackend::Smp), "{what}: {key}");
            for part in ["db", "mail"] {
                let path = format!("apps/shop/secret/{}/{part}", key.name);
                let location = SecretLocation { mount: "secret".to_owned(), path };
                assert_eq!(target.live_version(&location).await.unwrap(), 1, "{what}: {location}");
            }
            let subject = format!("{}/{}", key.namespace, key.name);
            let audit = system.audit(&key.cluster, Some(&subject), None).await.unwrap();
            let count = |action: &str| audit.iter().filter(|one| one.action == action).count();
            assert_eq!((count("switch"), count("finish")), (1, 1), "{what}: {audit:?}");
        }
        assert_eq!(system.check(&cluster(CLUSTER)).await.unwrap(), Vec::new(), "{what}");
    }
}

pub(super) struct Worker {
    pub(super) child: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Worker {
    /// Waits for what it says.
    pub(super) fn said(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }
}

impl Drop for Worker {
    /// This is signal 9: the process has no chance to clean up.
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
