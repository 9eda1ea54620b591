//! The open connections of a listener.
//!
//! Owns who may have how many of them, and which one is closed for a new one: the connection that has been idle for the
//! longest time, those first that have never sent a request. A connection with a request in progress is never closed
//! for another one. Does not own sockets or requests.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::settings::Limits;

/// The open connections of a listener. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct ConnectionTable(Arc<TableInner>);

#[derive(Debug)]
struct TableInner {
    connections_max: usize,
    per_address_max: usize,
    open: Mutex<OpenConnections>,
    /// Whether the listener waits until a connection is idle or closed. Requests look at it when they end, so that they
    /// need no lock.
    is_waiting: AtomicBool,
    room: Notify,
}

#[derive(Debug, Default)]
struct OpenConnections {
    newest_id: u64,
    by_id: HashMap<u64, Arc<ConnectionState>>,
    by_address: HashMap<IpAddr, usize>,
}

/// What a connection is doing.
#[derive(Debug)]
pub(super) struct ConnectionState {
    id: u64,
    address: IpAddr,
    table: Arc<TableInner>,
    in_progress: AtomicUsize,
    has_requested: AtomicBool,
    /// Whether bytes of a response wait until the client reads.
    is_write_pending: AtomicBool,
    /// When the last request ended, or the connection began.
    idle_since_us: AtomicU64,
    /// Whether its place was given to another connection; it is closed as soon as it is idle.
    is_evicted: AtomicBool,
    /// Whether it is closed whatever it does.
    must_close: AtomicBool,
    closing: Notify,
}

/// The place of a connection, returned when it is dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot(pub(super) Arc<ConnectionState>);

/// One request in progress. Its connection is not idle until this is dropped.
#[derive(Debug)]
pub(super) struct RequestInProgress {
    state: Arc<ConnectionState>,
    /// When the request ended, as far as known.
    now: Duration,
}

impl ConnectionTable {
    pub(super) fn new(limits: &Limits) -> Self {
        Self(Arc::new(TableInner {
            connections_max: limits.connections_max.max(1),
            per_address_max: limits.connections_per_address_max.max(1),
            open: Mutex::default(),
            is_waiting: AtomicBool::new(false),
            room: Notify::new(),
        }))
    }

    /// Waits until a new connection can have a place: a free one, or that of an idle connection.
    pub(super) async fn wait_for_room(&self) {
        loop {
            let room = self.0.room.notified();
            // Set before looking: a request that ends after we have looked sees it and wakes us.
            self.0.is_waiting.store(true, Ordering::SeqCst);
            let has_room = {
                let open = self.0.open();
                open.by_id.len() < self.0.connections_max || open.longest_idle(None).is_some()
            };
            if has_room {
                self.0.is_waiting.store(false, Ordering::Relaxed);
                return;
            }
            room.await;
        }
    }

    /// Gives a new connection a place, which may be that of an idle one; `None` if its address has too many connections
    /// and all of them are busy.
    pub(super) fn admit(&self, address: IpAddr, now: Duration) -> Option<ConnectionSlot> {
        let address = counted_address(address);
        let mut open = self.0.open();
        if open.by_address.get(&address).copied().unwrap_or_default() >= self.0.per_address_max {
            let idle = open.longest_idle(Some(address))?;
            open.evict(&idle);
        }
        if open.by_id.len() >= self.0.connections_max
            && let Some(idle) = open.longest_idle(None)
        {
            open.evict(&idle);
        }
        open.newest_id += 1;
        let state = Arc::new(ConnectionState {
            id: open.newest_id,
            address,
            table: Arc::clone(&self.0),
            in_progress: AtomicUsize::new(0),
            has_requested: AtomicBool::new(false),
            is_write_pending: AtomicBool::new(false),
            idle_since_us: AtomicU64::new(microseconds(now)),
            is_evicted: AtomicBool::new(false),
            must_close: AtomicBool::new(false),
            closing: Notify::new(),
        });
        open.by_id.insert(state.id, Arc::clone(&state));
        *open.by_address.entry(address).or_default() += 1;
        Some(ConnectionSlot(state))
    }

    /// Closes the connection that has been idle for the longest time, if there is one.
    pub(super) fn close_longest_idle(&self) {
        let mut open = self.0.open();
        if let Some(idle) = open.longest_idle(None) {
            open.evict(&idle);
        }
    }
}

impl TableInner {
    fn open(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report_room(&self) {
        if self.is_waiting.load(Ordering::SeqCst) {
            self.room.notify_one();
        }
    }
}

impl OpenConnections {
    /// The connection to close for another one. Scans all of them: this happens only when a limit is reached.
    fn longest_idle(&self, address: Option<IpAddr>) -> Option<Arc<ConnectionState>> {
        let idle = self.by_id.values().filter(|state| {
            state.is_idle() && address.is_none_or(|address| state.address == address)
        });
        let oldest = idle.min_by_key(|state| {
            let idle_since = state.idle_since_us.load(Ordering::Relaxed);
            (state.has_requested(), idle_since, state.id)
        });
        oldest.cloned()
    }

    fn evict(&mut self, state: &ConnectionState) {
        self.remove(state);
        state.is_evicted.store(true, Ordering::SeqCst);
        state.closing.notify_one();
    }

    fn remove(&mut self, state: &ConnectionState) {
        if self.by_id.remove(&state.id).is_none() {
            return;
        }
        let left = self.by_address.remove(&state.address).unwrap_or_default().saturating_sub(1);
        if left > 0 {
            self.by_address.insert(state.address, left);
        }
    }
}

impl ConnectionState {
    /// Counts a request of this connection.
    pub(super) fn begin_request(self: &Arc<Self>, now: Duration) -> RequestInProgress {
        self.has_requested.store(true, Ordering::Relaxed);
        self.in_progress.fetch_add(1, Ordering::SeqCst);
        RequestInProgress { state: Arc::clone(self), now }
    }

    pub(super) fn has_requested(&self) -> bool {
        self.has_requested.load(Ordering::Relaxed)
    }

    pub(super) fn set_write_pending(&self, is_pending: bool) {
        self.is_write_pending.store(is_pending, Ordering::SeqCst);
        if !is_pending {
            self.report_idle();
        }
    }

    /// Closes the connection whatever it does.
    pub(super) fn close(&self) {
        self.must_close.store(true, Ordering::SeqCst);
        self.closing.notify_one();
    }

    /// Waits until the connection is to be closed now.
    pub(super) async fn closed(&self) {
        loop {
            self.closing.notified().await;
            // A request may have begun after the place was given away. The connection then ends with its response.
            if self.must_close.load(Ordering::SeqCst) || self.is_idle() {
                return;
            }
        }
    }

    fn is_idle(&self) -> bool {
        self.in_progress.load(Ordering::SeqCst) == 0
            && !self.is_write_pending.load(Ordering::SeqCst)
    }

    fn report_idle(&self) {
        if self.is_evicted.load(Ordering::SeqCst) {
            self.closing.notify_one();
        }
        self.table.report_room();
    }
}

impl RequestInProgress {
    /// Notes when the request ended.
    pub(super) fn ends_at(&mut self, now: Duration) {
        self.now = now;
    }
}

impl Drop for RequestInProgress {
    fn drop(&mut self) {
        self.state.idle_since_us.store(microseconds(self.now), Ordering::Relaxed);
        if self.state.in_progress.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.state.report_idle();
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.0.table.open().remove(&self.0);
        self.0.table.report_room();
    }
}

/// The address that connections are counted by. A home or an office has a whole IPv6 network of 64 bits, so that
/// counting its single addresses would limit nothing.
fn counted_address(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = address.to_bits() & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
        address @ IpAddr::V4(_) => address,
    }
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(connections_max: usize, connections_per_address_max: usize) -> ConnectionTable {
        let limits = Limits { connections_max, connections_per_address_max, ..Limits::default() };
        ConnectionTable::new(&limits)
    }

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    fn is_evicted(slot: &ConnectionSlot) -> bool {
        slot.0.is_evicted.load(Ordering::SeqCst)
    }

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_silent_connection_goes_first_and_then_the_longest_idle_one() {
        let table = table(3, 3);
        let used_early = table.admit(address(1), at(1)).unwrap();
        let used_late = table.admit(address(2), at(1)).unwrap();
        let silent = table.admit(address(3), at(9)).unwrap();
        drop(used_early.0.begin_request(at(2)));
        drop(used_late.0.begin_request(at(3)));
        let fourth = table.admit(address(4), at(10)).unwrap();
        assert!(is_evicted(&silent) && !is_evicted(&used_early) && !is_evicted(&used_late));
        drop(fourth.0.begin_request(at(11)));
        let fifth = table.admit(address(5), at(12)).unwrap();
        assert!(is_evicted(&used_early) && !is_evicted(&used_late) && !is_evicted(&fourth));
        drop((fifth, silent));
        assert_eq!(table.0.open().by_id.len(), 2, "an evicted connection is not counted twice");
    }

    #[test]
    fn an_address_replaces_its_own_idle_connections_and_nobody_elses() {
        let table = table(10, 2);
        let other = table.admit(address(2), at(0)).unwrap();
        let first = table.admit(address(1), at(1)).unwrap();
        let second = table.admit(address(1), at(2)).unwrap();
        let third = table.admit(address(1), at(3)).unwrap();
        assert!(is_evicted(&first) && !is_evicted(&other));
        let busy = [second.0.begin_request(at(4)), third.0.begin_request(at(4))];
        assert!(table.admit(address(1), at(5)).is_none(), "all of its connections are busy");
        assert!(table.admit(address(2), at(5)).is_some());
        drop(busy);
    }

    #[test]
    fn one_network_of_ipv6_counts_as_one_address() {
        let table = table(10, 1);
        let first = table.admit("2001:db8:1:1::1".parse().unwrap(), at(0)).unwrap();
        let _second = table.admit("2001:db8:1:1:f::2".parse().unwrap(), at(1)).unwrap();
        assert!(is_evicted(&first));
        let mapped = table.admit("::ffff:10.0.0.1".parse().unwrap(), at(2)).unwrap();
        let _plain = table.admit(address(1), at(3)).unwrap();
        assert!(is_evicted(&mapped), "both are the same IPv4 address");
    }

    #[tokio::test]
    async fn a_full_table_has_room_again_when_a_request_ends() {
        let table = table(1, 1);
        let slot = table.admit(address(1), at(0)).unwrap();
        let request = slot.0.begin_request(at(1));
        let mut waiting = std::pin::pin!(table.wait_for_room());
        assert!(futures_poll(waiting.as_mut()).is_none(), "its one connection is busy");
        drop(request);
        waiting.await;
        slot.0.set_write_pending(true);
        let mut waiting = std::pin::pin!(table.wait_for_room());
        assert!(futures_poll(waiting.as_mut()).is_none(), "a response is being written");
        slot.0.set_write_pending(false);
        waiting.await;
    }

    #[tokio::test]
    async fn an_evicted_connection_that_became_busy_ends_with_its_request() {
        let table = table(1, 1);
        let slot = table.admit(address(1), at(0)).unwrap();
        let _newcomer = table.admit(address(2), at(1)).unwrap();
        let request = slot.0.begin_request(at(1));
        let mut closed = std::pin::pin!(slot.0.closed());
        assert!(futures_poll(closed.as_mut()).is_none());
        drop(request);
        closed.await;
    }

    fn futures_poll<F: Future>(future: std::pin::Pin<&mut F>) -> Option<F::Output> {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match future.poll(&mut context) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        }
    }
}
