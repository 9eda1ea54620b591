//! Writes of large items: what takes long is done outside of the partition writer and of the runtime's workers.
//!
//! ```text
//! check ─► look (writer: stored version, policy, an ordinal for a new item) ─► prepare (thread) ─► write (writer)
//!           ▲                                                                                        │ changed meanwhile
//!           └────────────────────────────────────────────────────────────────────────────────────────┘
//! ```

mod look;
mod submit;
