//! Health, readiness and metrics, for operators.

mod health;
mod metrics;

pub use health::{Health, HealthStatus};
pub use metrics::ServiceMetrics;
