//! Whether a service lives and whether it can work.
//!
//! Owns the list of checks and the two answers: `/healthz` says that the program answers, `/readyz` asks each check.
//! Does not own what a check looks at.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::http::serve::Stop;

/// A check that takes longer has failed.
const CHECK_MAX: Duration = Duration::from_secs(5);

/// How one part of a service is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "status", content = "why")]
pub enum Standing {
    /// It works.
    Ready,
    /// It works, less well; an operator should look.
    Degraded(String),
    /// It does not work: send no requests here.
    Failing(String),
}

type Check = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Standing> + Send>> + Send + Sync>;

/// The checks of a service. Cloning shares them.
#[derive(Clone, Default)]
pub struct Health {
    checks: Arc<Mutex<BTreeMap<&'static str, Check>>>,
}

#[derive(Serialize)]
struct Report {
    status: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    checks: BTreeMap<&'static str, Standing>,
}

impl Health {
    /// Adds a check. A store is checked by reading something small.
    pub fn check<F>(&self, name: &'static str, check: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = Standing> + Send + 'static,
    {
        let check: Check = Arc::new(move || Box::pin(check()));
        self.checks.lock().unwrap_or_else(PoisonError::into_inner).insert(name, check);
    }

    /// The answer of `/healthz`.
    pub(crate) fn alive() -> Response {
        axum::Json(Report { status: "alive", checks: BTreeMap::new() }).into_response()
    }

    /// The answer of `/readyz`: 503 when a check fails or the service stops.
    pub(crate) async fn ready(&self, stop: &Stop) -> Response {
        let checks = self.checks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let asked = checks.into_iter().map(|(name, check)| async move {
            let standing = tokio::time::timeout(CHECK_MAX, check()).await;
            let late = |_| Standing::Failing(format!("no answer in {} s", CHECK_MAX.as_secs()));
            (name, standing.unwrap_or_else(late))
        });
        let checks: BTreeMap<_, _> = futures::future::join_all(asked).await.into_iter().collect();
        let any = |wanted: fn(&Standing) -> bool| checks.values().any(wanted);
        let (status, code) = if stop.is_stopping() {
            ("stopping", StatusCode::SERVICE_UNAVAILABLE)
        } else if any(|standing| matches!(standing, Standing::Failing(_))) {
            ("failing", StatusCode::SERVICE_UNAVAILABLE)
        } else if any(|standing| matches!(standing, Standing::Degraded(_))) {
            ("degraded", StatusCode::OK)
        } else {
            ("ready", StatusCode::OK)
        };
        (code, axum::Json(Report { status, checks })).into_response()
    }
}

impl fmt::Debug for Health {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Health").finish_non_exhaustive()
    }
}
