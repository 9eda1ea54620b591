//! The server: opened on an account, shared by cloning, and the way of a request through it.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, Response};
use client::{Account, Environment};
use ring::rand::{SecureRandom, SystemRandom};
use service::settings::Secret;

use crate::domain::UtcTimestamp;
use crate::envelope::EnvelopeKeys;
use crate::error::{Error, Result};

use super::access::{Granted, VaultCapability};
use super::containers::VaultContainers;
use super::reply::{VaultRefusal, VaultReply, VaultResult, respond};
use super::request::{VaultOperation, VaultRequest};

/// The settings of the server.
#[derive(Clone, Debug)]
pub struct VaultServerSettings {
    /// Name of the database.
    pub database: String,
    /// The token that may do everything.
    pub root_token: Secret,
    /// The keys that seal values: the first seals, all open.
    pub keys: Vec<Secret>,
}

/// The server on one account.
#[derive(Clone)]
pub struct VaultServer {
    pub(super) core: Arc<VaultCore>,
}

pub(super) struct VaultCore {
    pub(super) containers: VaultContainers,
    pub(super) environment: Environment,
    pub(super) keys: EnvelopeKeys,
    pub(super) root_token: Secret,
    random: SystemRandom,
}

impl VaultServer {
    /// Opens it: reads the keys and creates missing containers.
    ///
    /// # Errors
    /// `Invalid` for keys that cannot be used or a root token that is empty; those of the account.
    pub async fn open(account: &Account, settings: &VaultServerSettings) -> Result<Self> {
        if !settings.root_token.is_set() {
            return Err(Error::invalid("the server needs a root token"));
        }
        let core = VaultCore {
            keys: EnvelopeKeys::parse(&settings.keys)?,
            containers: VaultContainers::create(account, &settings.database).await?,
            environment: account.environment().clone(),
            root_token: settings.root_token.clone(),
            random: SystemRandom::new(),
        };
        Ok(Self { core: Arc::new(core) })
    }

    /// Its routes.
    pub fn router(&self) -> Router {
        Router::new().fallback(serve).with_state(self.clone())
    }

    async fn answer(&self, request: Request<Body>) -> VaultResult<VaultReply> {
        let request = VaultRequest::receive(request).await?;
        if let Some(reply) = self.answer_anybody(&request).await {
            return reply;
        }
        let granted = self.core.granted(request.token.as_deref()).await?;
        self.require_capability(&granted, &request).await?;
        let path = request.path.clone();
        match path.split_once('/') {
            Some(("sys", rest)) => self.core.system(&request, rest).await,
            Some(("auth", rest)) => self.core.auth(&request, rest, &granted).await,
            _ => self.core.key_value(&request).await,
        }
    }

    /// Requests that need no token.
    async fn answer_anybody(&self, request: &VaultRequest) -> Option<VaultResult<VaultReply>> {
        match (request.path.as_str(), request.operation) {
            (
                "sys/health" | "sys/seal-status" | "sys/init" | "sys/leader",
                VaultOperation::Read,
            ) => Some(self.core.public_state(&request.path)),
            ("auth/approle/login", VaultOperation::Write) => Some(self.core.log_in(request).await),
            _ => None,
        }
    }

    async fn require_capability(
        &self,
        granted: &Granted,
        request: &VaultRequest,
    ) -> VaultResult<()> {
        let needed = match request.operation {
            VaultOperation::Read => VaultCapability::Read,
            VaultOperation::List => VaultCapability::List,
            VaultOperation::Patch => VaultCapability::Patch,
            VaultOperation::Delete => VaultCapability::Delete,
            VaultOperation::Write if granted.is_root() => VaultCapability::Update,
            VaultOperation::Write => match self.core.find_known(request).await? {
                true => VaultCapability::Update,
                false => VaultCapability::Create,
            },
        };
        match granted.allows(&request.path, needed) {
            true => Ok(()),
            false => Err(VaultRefusal::denied()),
        }
    }
}

impl VaultCore {
    pub(super) fn now(&self) -> UtcTimestamp {
        UtcTimestamp::now(&self.environment)
    }

    /// Random bytes of the operating system, as hexadecimal digits. Not from the environment: tokens must not be
    /// repeatable by whoever knows its seed.
    pub(super) fn random_text(&self, bytes: usize) -> VaultResult<String> {
        let mut random = vec![0_u8; bytes];
        let filled = self.random.fill(&mut random);
        filled.map_err(|_| Error::internal("the operating system gives no random numbers"))?;
        Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// A random id such as those of request and roles.
    pub(super) fn random_id(&self) -> VaultResult<String> {
        let digits = self.random_text(16)?;
        let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
        let parts = [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)];
        Ok(parts.join("-"))
    }
}

async fn serve(State(server): State<VaultServer>, request: Request<Body>) -> Response<Body> {
    let request_id = server.core.random_id().unwrap_or_default();
    respond(server.answer(request).await, &request_id)
}

impl std::fmt::Debug for VaultServer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "VaultServer({:?})", self.core.keys)
    }
}
