//! Locks and the condition variable.

use std::ops::{Deref, DerefMut};
use std::sync::{self, LockResult, PoisonError};
use std::time::Duration;

use crate::exploration::is_exploring;

/// Declares a guard that gives access to what its lock protects.
macro_rules! guard {
    ($name:ident, $about:literal) => {
        #[doc = $about]
        #[derive(Debug)]
        pub enum $name<'lock, T> {
            /// Of the standard library.
            Real(sync::$name<'lock, T>),
            /// Of an exploration.
            Explored(shuttle::sync::$name<'lock, T>),
        }

        impl<T> Deref for $name<'_, T> {
            type Target = T;

            fn deref(&self) -> &T {
                match self {
                    Self::Real(guard) => guard,
                    Self::Explored(guard) => guard,
                }
            }
        }
    };
}

guard!(MutexGuard, "As [`std::sync::MutexGuard`].");
guard!(RwLockReadGuard, "As [`std::sync::RwLockReadGuard`].");
guard!(RwLockWriteGuard, "As [`std::sync::RwLockWriteGuard`].");

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match self {
            Self::Real(guard) => guard,
            Self::Explored(guard) => guard,
        }
    }
}

impl<T> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match self {
            Self::Real(guard) => guard,
            Self::Explored(guard) => guard,
        }
    }
}

/// As [`std::sync::Mutex`].
#[derive(Debug)]
pub struct Mutex<T>(LockKind<sync::Mutex<T>, shuttle::sync::Mutex<T>>);

/// As [`std::sync::RwLock`].
#[derive(Debug)]
pub struct RwLock<T>(LockKind<sync::RwLock<T>, shuttle::sync::RwLock<T>>);

/// As [`std::sync::Condvar`].
#[derive(Debug)]
pub struct Condvar(LockKind<sync::Condvar, shuttle::sync::Condvar>);

#[derive(Debug)]
enum LockKind<R, E> {
    Real(R),
    Explored(E),
}

impl<T> Mutex<T> {
    /// An unlocked mutex.
    pub fn new(value: T) -> Self {
        Self(match is_exploring() {
            true => LockKind::Explored(shuttle::sync::Mutex::new(value)),
            false => LockKind::Real(sync::Mutex::new(value)),
        })
    }

    /// Waits until the mutex is free.
    ///
    /// # Errors
    /// A thread has panicked while it held the mutex.
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        match &self.0 {
            LockKind::Real(mutex) => each(mutex.lock(), MutexGuard::Real),
            LockKind::Explored(mutex) => each(mutex.lock(), MutexGuard::Explored),
        }
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> RwLock<T> {
    /// An unlocked lock.
    pub fn new(value: T) -> Self {
        Self(match is_exploring() {
            true => LockKind::Explored(shuttle::sync::RwLock::new(value)),
            false => LockKind::Real(sync::RwLock::new(value)),
        })
    }

    /// Waits until nobody writes.
    ///
    /// # Errors
    /// A thread has panicked while it wrote.
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        match &self.0 {
            LockKind::Real(lock) => each(lock.read(), RwLockReadGuard::Real),
            LockKind::Explored(lock) => each(lock.read(), RwLockReadGuard::Explored),
        }
    }

    /// Waits until nobody reads or writes.
    ///
    /// # Errors
    /// A thread has panicked while it wrote.
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        match &self.0 {
            LockKind::Real(lock) => each(lock.write(), RwLockWriteGuard::Real),
            LockKind::Explored(lock) => each(lock.write(), RwLockWriteGuard::Explored),
        }
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl Condvar {
    /// A condition that nobody waits for.
    #[must_use]
    pub fn new() -> Self {
        Self(match is_exploring() {
            true => LockKind::Explored(shuttle::sync::Condvar::new()),
            false => LockKind::Real(sync::Condvar::new()),
        })
    }

    /// Waits while the condition holds.
    ///
    /// # Errors
    /// A thread has panicked while it held the mutex.
    pub fn wait_while<'lock, T>(
        &self,
        mut guard: MutexGuard<'lock, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'lock, T>> {
        while condition(&mut guard) {
            guard = self.wait(guard, None)?.0;
        }
        Ok(guard)
    }

    /// Waits for a notification, or for the time to pass; also returns whether it has. In an exploration time does not
    /// pass.
    ///
    /// # Errors
    /// A thread has panicked while it held the mutex.
    pub fn wait_timeout<'lock, T>(
        &self,
        guard: MutexGuard<'lock, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'lock, T>, bool)> {
        match self.wait(guard, Some(timeout)) {
            Ok(woken) => Ok(woken),
            Err(poisoned) => Err(PoisonError::new((poisoned.into_inner(), false))),
        }
    }

    /// Wakes one thread that waits.
    pub fn notify_one(&self) {
        match &self.0 {
            LockKind::Real(condvar) => condvar.notify_one(),
            LockKind::Explored(condvar) => condvar.notify_one(),
        }
    }

    /// Wakes all threads that wait.
    pub fn notify_all(&self) {
        match &self.0 {
            LockKind::Real(condvar) => condvar.notify_all(),
            LockKind::Explored(condvar) => condvar.notify_all(),
        }
    }

    fn wait<'lock, T>(
        &self,
        guard: MutexGuard<'lock, T>,
        timeout: Option<Duration>,
    ) -> Result<(MutexGuard<'lock, T>, bool), PoisonError<MutexGuard<'lock, T>>> {
        match (&self.0, guard, timeout) {
            (LockKind::Real(condvar), MutexGuard::Real(guard), None) => {
                each(condvar.wait(guard), MutexGuard::Real).map(|guard| (guard, false))
            }
            (LockKind::Real(condvar), MutexGuard::Real(guard), Some(timeout)) => {
                match condvar.wait_timeout(guard, timeout) {
                    Ok((guard, result)) => Ok((MutexGuard::Real(guard), result.timed_out())),
                    Err(poisoned) => {
                        Err(PoisonError::new(MutexGuard::Real(poisoned.into_inner().0)))
                    }
                }
            }
            (LockKind::Explored(condvar), MutexGuard::Explored(guard), _) => {
                each(condvar.wait(guard), MutexGuard::Explored).map(|guard| (guard, false))
            }
            // A mutex made in an exploration and a condition made outside of it, or the other way round.
            (_, guard, _) => Err(PoisonError::new(guard)),
        }
    }
}

impl Default for Condvar {
    fn default() -> Self {
        Self::new()
    }
}

/// Wraps a guard, whether or not its lock is poisoned.
fn each<G, W>(locked: LockResult<G>, wrap: impl FnOnce(G) -> W) -> LockResult<W> {
    match locked {
        Ok(guard) => Ok(wrap(guard)),
        Err(poisoned) => Err(PoisonError::new(wrap(poisoned.into_inner()))),
    }
}

#[test]
fn a_lost_wakeup_is_found() {
    let found = std::panic::catch_unwind(|| {
        crate::explore(100, || {
            let shared = sync::Arc::new((Mutex::new(false), Condvar::new()));
            let other = sync::Arc::clone(&shared);
            let setter = crate::spawn(move || {
                // Notified before it is set.
                other.1.notify_one();
                *other.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
            });
            let guard = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
            drop(shared.1.wait_while(guard, |set| !*set));
            setter();
        });
    });
    assert!(crate::exploration::message(found).contains("deadlock"));
}
