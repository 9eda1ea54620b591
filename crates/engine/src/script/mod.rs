//! Scripts: stored procedures and triggers as transactions on one logical partition.
//!
//! ```text
//! watch ─► snapshot ─► run the script, rehearse its writes ─► commit in the writer, if nothing has changed
//!   ▲                                                                │ changed
//!   └────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Owns the session of a script: what it reads and writes, when it is repeated, what it is charged. The partition
//! writer is not held while a script runs. Does not own the language (`script_runtime`), nor user-defined functions,
//! which are part of queries. See `docs/decisions/0021-scripts.md`.

mod commit;
mod load;
mod overlay;
mod perform;
mod procedure;
mod session;
mod step;
mod trigger;
