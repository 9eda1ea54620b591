//! Wakes readers of this process after an append.
//!
//! A signal says "look again" and nothing else: it may come without an append, and appends of other processes may come
//! without a signal, so that readers also look by themselves from time to time.

use std::sync::Arc;

use tokio::sync::watch;

/// Wakes those who wait for events. Clones share it.
#[derive(Clone, Debug)]
pub struct AppendSignal(Arc<watch::Sender<u64>>);

impl Default for AppendSignal {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }
}

impl AppendSignal {
    /// Wakes all.
    pub fn wake(&self) {
        self.0.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// A receiver, which has seen everything so far.
    #[must_use]
    pub fn receiver(&self) -> watch::Receiver<u64> {
        self.0.subscribe()
    }
}
