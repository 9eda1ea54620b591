//! Counters of this process.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use client::Environment;
use serde::Serialize;

use crate::domain::UtcTimestamp;

/// Counts.
#[derive(Debug, Default)]
pub(crate) struct ChatCounters {
    active_connections: AtomicI64,
    messages_sent: AtomicU64,
    rooms_joined: AtomicU64,
    otp_requests: AtomicU64,
    otp_verifications: AtomicU64,
    otp_refusals: AtomicU64,
    reconnect_attempts: AtomicU64,
}

/// The counters as numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatTotals {
    /// Seconds since the start.
    pub uptime_seconds: u64,
    /// Open connections of the hub.
    pub active_connections: i64,
    /// Messages stored.
    pub messages_sent: u64,
    /// Rooms entered.
    pub rooms_joined: u64,
    /// Codes asked for.
    pub otp_requests: u64,
    /// Codes given.
    pub otp_verifications: u64,
    /// Codes that were wrong.
    pub otp_refusals: u64,
    /// Reconnects that clients reported.
    pub reconnect_attempts: u64,
    /// When this was read.
    #[schema(value_type = String)]
    pub timestamp: UtcTimestamp,
}

impl ChatCounters {
    pub(crate) fn count_otp_request(&self) {
        self.otp_requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_otp_verification(&self) {
        self.otp_verifications.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_otp_refusal(&self) {
        self.otp_refusals.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_message(&self) {
        self.messages_sent.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_join(&self) {
        self.rooms_joined.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_reconnect(&self) {
        self.reconnect_attempts.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_connection(&self) {
        self.active_connections.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_disconnection(&self) {
        self.active_connections.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn totals(&self, environment: &Environment, started: Duration) -> ChatTotals {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ChatTotals {
            uptime_seconds: environment.stopwatch().saturating_sub(started).as_secs(),
            active_connections: self.active_connections.load(Ordering::Relaxed),
            messages_sent: load(&self.messages_sent),
            rooms_joined: load(&self.rooms_joined),
            otp_requests: load(&self.otp_requests),
            otp_verifications: load(&self.otp_verifications),
            otp_refusals: load(&self.otp_refusals),
            reconnect_attempts: load(&self.reconnect_attempts),
            timestamp: UtcTimestamp::now(environment),
        }
    }
}
