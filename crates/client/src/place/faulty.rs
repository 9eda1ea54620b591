//! A place that fails as a plan says, and answers as the place below it otherwise.
//!
//! Owns the effect of each fault. Does not own the plan (`faults`).

use std::sync::Arc;

use async_trait::async_trait;
use engine::Environment;

use crate::call::{Reply, Request};
use crate::error::{Error, ErrorKind, Result};
use crate::faults::{Fault, Faults};

use super::Place;

/// A place with faults.
pub(crate) struct Faulty {
    below: Arc<dyn Place>,
    faults: Faults,
    environment: Environment,
}

impl Faulty {
    pub(crate) fn new(below: Arc<dyn Place>, faults: Faults, environment: Environment) -> Self {
        Self { below, faults, environment }
    }
}

#[async_trait]
impl Place for Faulty {
    async fn execute(&self, request: &Request) -> Result<Reply> {
        let name = request.name();
        match self.faults.take(name) {
            Fault::None => self.below.execute(request).await,
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
            Fault::LostAnswer => {
                self.below.execute(request).await?;
                Err(Error::unknown_outcome(format!("the answer to '{name}' was lost")))
            }
            Fault::StopBefore => match self.faults.stop().await {},
            Fault::StopAfter => {
                // What the account answers, nobody hears.
                let _ = self.below.execute(request).await;
                match self.faults.stop().await {}
            }
        }
    }

    fn is_connected(&self) -> bool {
        self.below.is_connected()
    }

    async fn close(&self) -> Result<()> {
        self.below.close().await
    }
}
