//! Leases this instance works on: renewing, checkpointing, releasing and losing them.
//!
//! Owns the rule that every write of a lease names the version last seen. When that version is gone, another instance
//! has the lease, and whoever works on it here stops at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex as StdMutex, PoisonError};
use std::time::Duration;

use model::{EpkRange, TimestampMs};
use tokio::sync::{Mutex, watch};

use super::lease::{Lease, LeasePosition, age};
use super::store::LeaseStore;
use crate::{Environment, Error};

/// Why work on a lease ended early.
#[derive(Debug)]
pub(crate) enum Halt {
    /// Another instance has it.
    Lost,
    /// An operation failed; the lease may still be held.
    Failed(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// A lease this instance works on.
pub(crate) struct Held {
    pub(crate) range: EpkRange,
    lease: Mutex<Lease>,
    lost: watch::Sender<bool>,
    attended: AtomicBool,
    retry: StdMutex<Retry>,
}

/// How often the page after the checkpoint has failed, and when to try again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Retry {
    pub(crate) attempts: u32,
    pub(crate) not_before: TimestampMs,
}

impl Held {
    pub(crate) fn new(lease: Lease) -> Self {
        Self {
            range: lease.range.clone(),
            lease: Mutex::new(lease),
            lost: watch::Sender::new(false),
            attended: AtomicBool::new(false),
            retry: StdMutex::default(),
        }
    }

    pub(crate) async fn lease(&self) -> Lease {
        self.lease.lock().await.clone()
    }

    /// Completes when the lease is lost.
    pub(crate) async fn until_lost(&self) {
        // The sender lives in `self`, so waiting ends only by the loss.
        let _ = self.lost.subscribe().wait_for(|lost| *lost).await;
    }

    pub(crate) fn is_lost(&self) -> bool {
        *self.lost.borrow()
    }

    pub(crate) fn lose(&self) {
        self.lost.send_replace(true);
    }

    /// Marks the lease as having its task; tells whether it had one already.
    pub(crate) fn attend(&self) -> bool {
        self.attended.swap(true, Ordering::SeqCst)
    }

    pub(crate) fn retry(&self) -> Retry {
        *self.retry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_retry(&self, retry: Retry) {
        *self.retry.lock().unwrap_or_else(PoisonError::into_inner) = retry;
    }

    /// Writes the lease again if its last write is at least `due` ago.
    pub(crate) async fn renew(
        &self,
        store: &LeaseStore,
        environment: &Environment,
        due: Duration,
    ) -> Result<(), Halt> {
        let renewed = self.lease.lock().await.renewed;
        if age(renewed, environment.now()) < due {
            return if self.is_lost() { Err(Halt::Lost) } else { Ok(()) };
        }
        self.write(store, environment, |_| {}).await
    }

    /// Writes the position up to which everything is handled, and how many of the changes were parked.
    pub(crate) async fn checkpoint(
        &self,
        store: &LeaseStore,
        environment: &Environment,
        position: LeasePosition,
        parked: u64,
    ) -> Result<(), Halt> {
        self.write(store, environment, |lease| {
            lease.position = position;
            lease.parked += parked;
        })
        .await?;
        self.set_retry(Retry::default());
        Ok(())
    }

    /// Remembers that nothing up to this position concerns the range; the next renewal writes it.
    pub(crate) async fn pass(&self, position: LeasePosition) {
        self.lease.lock().await.position = position;
    }

    /// Gives the lease back.
    pub(crate) async fn release(
        &self,
        store: &LeaseStore,
        environment: &Environment,
    ) -> Result<(), Halt> {
        let released = self.write(store, environment, |lease| lease.owner = None).await;
        self.lose();
        released
    }

    async fn write(
        &self,
        store: &LeaseStore,
        environment: &Environment,
        change: impl FnOnce(&mut Lease),
    ) -> Result<(), Halt> {
        let mut lease = self.lease.lock().await;
        if self.is_lost() {
            return Err(Halt::Lost);
        }
        let mut changed = lease.clone();
        change(&mut changed);
        changed.renewed = environment.now();
        match store.replace(&changed).await? {
            Some(written) => {
                *lease = written;
                Ok(())
            }
            None => {
                self.lose();
                Err(Halt::Lost)
            }
        }
    }
}
