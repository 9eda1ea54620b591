//! Realms that are ready before they are needed.
//!
//! Owns a few of them, made after a run was answered, so that the next one need not wait for its realm. They are not
//! reused: each leaves this place once, for one run.

use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::script_runtime::ScriptFailure;

use super::limited::BlankRealm;

/// Spare realms at most.
const SPARE_MAX: usize = 4;

/// Realms that wait for a run.
#[derive(Default)]
pub(crate) struct SpareRealms {
    realms: Mutex<Vec<BlankRealm>>,
}

impl SpareRealms {
    /// A spare realm, or a new one.
    pub(crate) fn take(&self) -> Result<BlankRealm, ScriptFailure> {
        let spare = self.lock().pop();
        spare.map_or_else(BlankRealm::new, Ok)
    }

    /// Makes a realm, unless there are enough. A failure is left to the run that needs one.
    pub(crate) fn fill(&self) {
        if self.lock().len() >= SPARE_MAX {
            return;
        }
        if let Ok(realm) = BlankRealm::new() {
            let mut realms = self.lock();
            if realms.len() < SPARE_MAX {
                realms.push(realm);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<BlankRealm>> {
        self.realms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
