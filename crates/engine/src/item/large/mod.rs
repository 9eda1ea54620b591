//! Writes of large items: what takes long is done outside of the partition writer and of the runtime's workers.
//!
//! ```text
//! check (thread) ─► look (writer: stored version, policy, ordinal) ─► prepare (thread) ─► write (writer)
//!                    ▲                                                   changed meanwhile │
//!                    └─────────────────────────────────────────────────────────────────────┘
//! ```

mod look;
mod submit;
