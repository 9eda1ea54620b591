//! A proxy in front of PostgreSQL: it changes one statement on its way, or cuts the connection at a message.
//!
//! Owns reading the frames of a client. The server and its answers are untouched.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{UnixListener, UnixStream};

/// The file that a client looks for in the folder of its host.
const SOCKET: &str = ".s.PGSQL.5432";
pub(super) const PREDICATE: &str = "service_id = $1";

/// A proxy; it ends with the test.
pub(super) struct WireProxy {
    folder: TempDir,
    plan: Arc<ProxyPlan>,
}

#[derive(Default)]
struct ProxyPlan {
    /// The statements with a tenant that were prepared.
    seen: Mutex<BTreeSet<String>>,
    /// The statement whose tenant is taken out.
    mutated: Mutex<Option<String>>,
    /// Messages of clients that pass before every connection is cut; unlimited before it is armed.
    left: AtomicUsize,
    is_armed: AtomicBool,
}

impl WireProxy {
    /// Starts one in front of the socket of a server.
    pub(super) fn start(server: PathBuf) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(SOCKET)).unwrap();
        let plan = Arc::new(ProxyPlan::default());
        let shared = Arc::clone(&plan);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (plan, server) = (Arc::clone(&shared), server.clone());
                tokio::spawn(async move {
                    // An error is the end of a connection, which is what some tests want.
                    let _ = serve(client, server, &plan).await;
                });
            }
        });
        Self { folder, plan }
    }

    pub(super) fn folder(&self) -> String {
        self.folder.path().display().to_string()
    }

    /// The statements with a tenant that were prepared.
    pub(super) fn statements(&self) -> BTreeSet<String> {
        self.plan.seen.lock().unwrap().clone()
    }

    /// Takes the tenant out of a statement.
    pub(super) fn mutate(&self, statement: &str) {
        *self.plan.mutated.lock().unwrap() = Some(statement.to_owned());
    }

    /// Cuts all connections after so many messages of clients, and refuses new ones.
    pub(super) fn cut_after(&self, messages: usize) {
        self.plan.left.store(messages, Ordering::SeqCst);
        self.plan.is_armed.store(true, Ordering::SeqCst);
    }

    /// Whether the messages were used up. Connections pass again afterwards.
    pub(super) fn disarm(&self) -> bool {
        self.plan.is_armed.store(false, Ordering::SeqCst);
        self.plan.left.load(Ordering::SeqCst) == 0
    }
}

impl ProxyPlan {
    /// Counts a message; an error when the connection is to be cut before it.
    fn pass(&self) -> io::Result<()> {
        if !self.is_armed.load(Ordering::SeqCst) {
            return Ok(());
        }
        let spend = |left: usize| left.checked_sub(1);
        match self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, spend) {
            Ok(_) => Ok(()),
            Err(_) => Err(io::ErrorKind::ConnectionReset.into()),
        }
    }

    /// The message that goes on instead of this one.
    fn rewrite(&self, kind: u8, body: Vec<u8>) -> Vec<u8> {
        // Parse: the name of the statement, its text, the types of its parameters.
        let mut parts = body.splitn(3, |byte| *byte == 0);
        let (Some(name), Some(text), Some(types)) = (parts.next(), parts.next(), parts.next())
        else {
            return body;
        };
        let Ok(text) = std::str::from_utf8(text) else { return body };
        if kind != b'P' || !text.contains(PREDICATE) {
            return body;
        }
        self.seen.lock().unwrap().insert(text.to_owned());
        if self.mutated.lock().unwrap().as_deref() != Some(text) {
            return body;
        }
        [name, &[0], without_tenant(text).as_bytes(), &[0], types].concat()
    }
}

/// Each comparison with the tenant becomes true. The parameter stays in use.
fn without_tenant(text: &str) -> String {
    let mut parts = text.split(PREDICATE);
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // The alias of a table before the column goes, too.
        let alias = rest.trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '.');
        rest = format!("{alias}$1::text IS NOT NULL{part}");
    }
    rest
}

async fn serve(client: UnixStream, server: PathBuf, plan: &ProxyPlan) -> io::Result<()> {
    let server = UnixStream::connect(server).await?;
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let requests = async {
        // The first message has a length and no kind.
        let length = from_client.read_u32().await?;
        let mut body = vec![0; length.saturating_sub(4) as usize];
        from_client.read_exact(&mut body).await?;
        to_server.write_all(&[&length.to_be_bytes()[..], &body].concat()).await?;
        loop {
            let kind = from_client.read_u8().await?;
            let length = from_client.read_u32().await?;
            let mut body = vec![0; length.saturating_sub(4) as usize];
            from_client.read_exact(&mut body).await?;
            plan.pass()?;
            let body = plan.rewrite(kind, body);
            let length = u32::try_from(body.len() + 4).unwrap_or(u32::MAX).to_be_bytes();
            to_server.write_all(&[&[kind][..], &length, &body].concat()).await?;
        }
    };
    let answers = copy(&mut from_server, &mut to_client);
    tokio::select! {
        ended = requests => ended,
        ended = answers => ended.map(|_| ()),
    }
}
