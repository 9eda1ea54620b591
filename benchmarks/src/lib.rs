//! Macro-benchmarks of the embedded engine, side by side with the raw storage crate.
//!
//! Owns the measurements, their data and the table. Every measurement that has a raw counterpart runs both in
//! alternating rounds on the same bytes, because the machine is rarely idle and only the ratio can be trusted. Does not
//! own limits on wall-clock time in tests: the table says what was met.
//!
//! ```text
//! prepare: child loads a store, its commits go to a tape ─► copy of the store for the raw side
//! measure: engine round, raw round, raw round, engine round, ... ─► medians ─► table
//! ```

mod chat;
mod child;
mod data;
mod events;
mod fan_out;
mod gateway;
mod measure;
mod meter;
mod notifications;
mod prepare;
mod progress;
mod queries;
mod raw;
mod report;
mod rounds;
mod run;
mod scratch_server;
mod scripts;
mod secrets;
mod tape;

pub use self::chat::{ChatOptions, ChatReport, ChatSide, HistoryFigures, run_chat};
pub use self::events::{EventsOptions, EventsReport, EventsSide, run_events};
pub use self::notifications::{
    Latency, NotificationsOptions, NotificationsReport, Outcomes, SidePace, SideResult, Tenth,
    run_notifications,
};
pub use child::{ChildTask, run_child};
pub use fan_out::{FanOutOptions, FanOutReport, RoomFigures, SideFigures, run_fan_out};
pub use gateway::{
    BenchProcess, ComparedRow, FactRow, GatewayOptions, GatewayReport, LoadResult, PeerRow,
    run_gateway, run_part,
};
pub use queries::{
    CountedRow, PeerFigure, PreparingRow, QueryOptions, QueryReport, ScanRow, run_queries,
};
pub use report::{BenchReport, ReportRow};
pub use run::{Options, run};
pub use scripts::{ScriptOptions, ScriptReport, run_scripts};
pub use secrets::{
    PendingList, Rollbacks, SecretsOptions, SecretsReport, SecretsSide, SecretsSize, SizeResult,
    run_secrets,
};

/// Any failure. No caller of a benchmark distinguishes kinds.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The result of everything here.
pub type Result<T> = std::result::Result<T, Error>;
