//! Where evaluation runs, and how much of it.
//!
//! Owns the threads for long evaluations, the turns that requests take on them, the memory that all requests share, and
//! the budget of one request: deadline, work, cancellation. Does not own evaluation itself (the crate `query`), nor the
//! limits: they are settings. See `docs/decisions/0015-bounded-evaluation.md`.

mod pool;
mod request_work;
mod script_threads;
mod turns;

pub(crate) use pool::EvaluationPool;
pub(crate) use request_work::RequestWork;
pub(crate) use script_threads::ScriptThreads;
