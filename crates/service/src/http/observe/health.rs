//! Liveness and readiness of a service.
//!
//! Owns the list of checks and the two responses: `/healthz` shows that the process responds, `/readyz` runs each
//! check. Does not own what a check examines.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::http::shutdown::ShutdownSignal;

/// A check that takes longer has failed.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// The result of a health check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "status", content = "why")]
pub enum HealthStatus {
    /// It works.
    Ready,
    /// It works with restrictions; an operator should look at it.
    Degraded(String),
    /// It does not work: send no requests to this instance.
    Failing(String),
}

type HealthCheck =
    Arc<dyn Fn() -> Pin<Box<dyn Future<Output = HealthStatus> + Send>> + Send + Sync>;

/// The health checks of a service. Clones share them.
#[derive(Clone, Default)]
pub struct Health {
    checks: Arc<Mutex<BTreeMap<&'static str, HealthCheck>>>,
}

#[derive(Serialize)]
struct HealthReport {
    status: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    checks: BTreeMap<&'static str, HealthStatus>,
}

impl Health {
    /// Adds a check, or replaces the one with the same name. Check a database by reading something small.
    pub fn add_check<F>(&self, name: &'static str, check: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = HealthStatus> + Send + 'static,
    {
        let check: HealthCheck = Arc::new(move || Box::pin(check()));
        self.checks.lock().unwrap_or_else(PoisonError::into_inner).insert(name, check);
    }

    /// The response of `/healthz`.
    pub(in crate::http) fn alive() -> Response {
        axum::Json(HealthReport { status: "alive", checks: BTreeMap::new() }).into_response()
    }

    /// The response of `/readyz`: 503 when a check fails or the service shuts down.
    pub(in crate::http) async fn ready(&self, shutdown: &ShutdownSignal) -> Response {
        // Cloned, because the lock must not be held while the checks are awaited.
        let checks = self.checks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let asked = checks.into_iter().map(|(name, check)| async move {
            let status = tokio::time::timeout(CHECK_TIMEOUT, check()).await;
            let late =
                |_| HealthStatus::Failing(format!("no answer in {} s", CHECK_TIMEOUT.as_secs()));
            (name, status.unwrap_or_else(late))
        });
        // All at once: the response takes as long as the slowest check, not as all together.
        let checks: BTreeMap<_, _> = futures::future::join_all(asked).await.into_iter().collect();
        let any = |wanted: fn(&HealthStatus) -> bool| checks.values().any(wanted);
        // A service that shuts down takes no more requests, whatever its checks say.
        let (status, code) = if shutdown.is_triggered() {
            ("stopping", StatusCode::SERVICE_UNAVAILABLE)
        } else if any(|status| matches!(status, HealthStatus::Failing(_))) {
            ("failing", StatusCode::SERVICE_UNAVAILABLE)
        } else if any(|status| matches!(status, HealthStatus::Degraded(_))) {
            ("degraded", StatusCode::OK)
        } else {
            ("ready", StatusCode::OK)
        };
        (code, axum::Json(HealthReport { status, checks })).into_response()
    }
}

impl fmt::Debug for Health {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Health").finish_non_exhaustive()
    }
}
