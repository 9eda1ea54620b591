//! When the credentials of a caller end.
//!
//! Owns waiting for it, for responses that outlast the request that was authenticated: event streams. Does not own when
//! a session ends; see `session` and `revoked_sessions`.

use std::time::Duration;

use super::authenticate::Identity;
use super::caller::Caller;

/// How often an open stream looks whether its session was ended elsewhere, or the clock was changed.
const CHECK_EVERY: Duration = Duration::from_secs(10);

/// Waits until the credentials of a caller are not valid any more.
#[derive(Clone, Debug)]
pub struct CallerEnd {
    identity: Identity,
    caller: Option<Caller>,
}

impl CallerEnd {
    pub(crate) fn new(identity: Identity, caller: Option<Caller>) -> Self {
        Self { identity, caller }
    }

    /// Completes when the session or the token of the caller has ended; never for an anonymous caller.
    pub async fn ended(&self) {
        self.ended_by_looking_every(CHECK_EVERY).await;
    }

    /// The same, looking less often whether the session was ended by another instance: each look may cost a read.
    pub async fn ended_by_looking_every(&self, interval: Duration) {
        let Some(caller) = &self.caller else { return std::future::pending().await };
        let mut ends = self.identity.session_ends();
        loop {
            // Marked as seen before looking: a sign-out in between wakes us again instead of being missed.
            ends.borrow_and_update();
            if self.identity.check_ended(caller).await {
                return;
            }
            let left = self.identity.time_left(caller).unwrap_or(interval);
            tokio::select! {
                changed = ends.changed() => if changed.is_err() { return },
                () = self.identity.environment().sleep(left.min(interval)) => {}
            }
        }
    }
}
