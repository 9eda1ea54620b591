//! A backend that injects faults in front of another one.
//!
//! Owns the effect of each fault. Does not own the plan (`fault_plan`).

use std::sync::Arc;

use async_trait::async_trait;
use engine::Environment;

use crate::error::{Error, ErrorKind, Result};
use crate::query::QueryScope;
use crate::request::{BackendRequest, BackendResponse};

use super::{Backend, Fault, Faults, QueryMutation};

/// A backend with faults.
pub(crate) struct FaultyBackend {
    inner: Arc<dyn Backend>,
    faults: Faults,
    environment: Environment,
}

impl FaultyBackend {
    pub(crate) fn new(inner: Arc<dyn Backend>, faults: Faults, environment: Environment) -> Self {
        Self { inner, faults, environment }
    }
}

#[async_trait]
impl Backend for FaultyBackend {
    async fn execute(&self, mut request: BackendRequest) -> Result<BackendResponse> {
        let name = request.name();
        if let BackendRequest::Query { text, scope, .. } = &mut request {
            match self.faults.mutation(text.text()) {
                Some(QueryMutation::Text(other)) => text.replace(other),
                Some(QueryMutation::WholeContainer) => *scope = QueryScope::Container,
                None => {}
            }
        }
        match self.faults.take(name) {
            Fault::None => self.inner.execute(request).await,
            Fault::Throttled { delay } => {
                let kind = ErrorKind::Throttled { delay: Some(delay) };
                Err(Error::new(kind, format!("throughput is spent; '{name}' was throttled")))
            }
            Fault::Unavailable => {
                Err(Error::unknown_outcome(format!("the account did not take '{name}'")))
            }
            Fault::Timeout { after } => {
                self.environment.sleep(after).await;
                Err(Error::unknown_outcome(format!("no answer to '{name}' within {after:?}")))
            }
            Fault::LostResponse => {
                // A refusal is not lost: only a request that was executed has a response to lose.
                self.inner.execute(request).await?;
                Err(Error::unknown_outcome(format!("the answer to '{name}' was lost")))
            }
            Fault::BadRequest => Err(Error::bad_request(format!("'{name}' was refused"))),
            Fault::StopBefore => match self.faults.stop().await {},
            Fault::StopAfter => {
                // The process stops before it sees the response.
                let _ = self.inner.execute(request).await;
                match self.faults.stop().await {}
            }
        }
    }

    fn is_connected(&self) -> bool {
        self.inner.is_connected()
    }

    async fn close(&self) -> Result<()> {
        self.inner.close().await
    }
}
