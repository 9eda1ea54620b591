//! What an operator looks at: health, readiness, metrics.

mod health;
mod metrics;

pub use health::{Health, Standing};
pub use metrics::Metrics;
