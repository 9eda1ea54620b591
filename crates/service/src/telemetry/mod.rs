//! What a running system tells its operator: one span per data call and totals of them, for a collector and as text.
//!
//! ```text
//! client: span "data call" ─┐
//! http, work: spans ────────┴► layer ─┬► totals ─► text of metrics, /v1/metrics
//!                                     └► outbox ─► /v1/traces (OTLP over HTTP, as JSON)
//! ```
//!
//! Owns the reading of spans, the totals, and the export. Does not own logs, nor which subscriber a program installs.
//! The id of a tenant or user is a field of spans, where it costs nothing; it is a label of metrics only when
//! [`TelemetrySettings::metric_labels`] names it, because every value of a label is a series for ever. A service shows
//! its totals at `/metrics` by `kit.metrics().add_source(move || telemetry.render())`.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use client::{Account, StorageLocation};
//! use planisphere_service::telemetry::{Telemetry, TelemetrySettings};
//! use tracing_subscriber::layer::SubscriberExt as _;
//!
//! let account = Account::embedded(StorageLocation::Memory).await?;
//! let telemetry = Telemetry::new(TelemetrySettings::default(), account.environment());
//! let subscriber = tracing_subscriber::registry().with(telemetry.layer());
//! let _guard = tracing::subscriber::set_default(subscriber); // a program: set_global_default
//! telemetry.start(); // sends, if the settings name a collector
//! account.database("shop")?.create_if_missing(None).await?;
//! let labels = r#"{container="",database="shop",operation="create database",status="ok"}"#;
//! assert!(telemetry.render().contains(&format!("data_calls_total{labels} 1")));
//! telemetry.stop().await;
//! # account.close().await
//! # }).unwrap();
//! ```

mod export;
mod layer;
mod otlp;
mod settings;
mod span;
mod totals;

pub use export::ExportError;
pub use layer::Telemetry;
pub use settings::TelemetrySettings;
