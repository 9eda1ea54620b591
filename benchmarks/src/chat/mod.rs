//! Benchmarks of the chat: open connections, messages into rooms, with storage and without, and what a message costs
//! beside a long history.
//!
//! Owns the table `benchmarks/CHAT.md`. Each server is a process of its own; the clients are those of the fan-out and
//! the same for all sides. The machine is rarely idle, so sides are compared by the CPU time of the server.

mod history;
mod report;
mod run;
mod serve;

pub use history::HistoryFigures;
pub use report::{ChatReport, ChatSide};
pub use run::{ChatOptions, run_chat};
pub(crate) use serve::{ServedChat, serve_chat};
