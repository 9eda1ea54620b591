//! The rate limit: a token bucket per caller.
//!
//! Owns counting and the response headers. Does not own who the caller is: the key is any text, usually the subject or
//! the address. Memory is bounded: full buckets are forgotten, because a new bucket starts full and behaves the same.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use client::Environment;

use crate::problem::Problem;

/// Maximum number of buckets in memory. Beyond it, the fullest half is forgotten.
const BUCKETS_MAX: usize = 100_000;

const LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

/// A rate limit and the bucket of each caller. Clones share them.
#[derive(Clone, Debug)]
pub struct RateLimit {
    inner: Arc<RateLimitInner>,
}

#[derive(Debug)]
struct RateLimitInner {
    environment: Environment,
    requests: u32,
    window: Duration,
    buckets: Mutex<HashMap<String, RequestBucket>>,
}

/// The tokens of a bucket at a point in time. Refilling is computed on access; there is no timer.
#[derive(Clone, Copy, Debug)]
struct RequestBucket {
    tokens: f64,
    at_ms: u64,
}

/// What a caller has left after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitStatus {
    limit: u32,
    remaining: u32,
    reset_seconds: u64,
}

impl RateLimit {
    /// Allows a burst of `requests`, and refills as many evenly over each window.
    #[must_use]
    pub fn new(environment: Environment, requests: u32, window: Duration) -> Self {
        let inner = RateLimitInner {
            environment,
            requests: requests.max(1),
            window,
            buckets: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Takes one request out of the caller's bucket.
    ///
    /// # Errors
    /// 429 `rate_limited` with `Retry-After` when it is empty.
    pub fn take(&self, caller: &str) -> Result<RateLimitStatus, Problem> {
        let RateLimitInner { environment, requests, window, buckets } = &*self.inner;
        let now_ms = environment.now().0;
        let full = f64::from(*requests);
        // At least one millisecond, so that a window of zero does not divide by zero.
        let per_ms = full / (window.as_secs_f64() * 1000.0).max(1.0);
        let mut buckets = buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS_MAX && !buckets.contains_key(caller) {
            evict(&mut buckets, full, per_ms, now_ms);
        }
        let bucket = buckets
            .entry(caller.to_owned())
            .or_insert(RequestBucket { tokens: full, at_ms: now_ms });
        bucket.tokens = bucket.tokens_at(full, per_ms, now_ms);
        // A clock that is set back must not refill the time it repeats.
        bucket.at_ms = now_ms.max(bucket.at_ms);
        let is_allowed = bucket.tokens >= 1.0;
        if is_allowed {
            bucket.tokens -= 1.0;
        }
        let seconds_until =
            |level: f64| ((level - bucket.tokens).max(0.0) / per_ms / 1000.0).ceil();
        let status = RateLimitStatus {
            limit: *requests,
            remaining: whole(bucket.tokens.floor()).try_into().unwrap_or(u32::MAX),
            reset_seconds: whole(seconds_until(full)),
        };
        if is_allowed {
            return Ok(status);
        }
        let detail = format!("More than {requests} requests in {} s.", window.as_secs());
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail);
        let problem = problem.retry_after(Duration::from_secs(whole(seconds_until(1.0))));
        Err(status
            .headers()
            .into_iter()
            .fold(problem, |problem, (name, value)| problem.header(name, value.to_string())))
    }
}

impl RateLimitStatus {
    /// Adds the `RateLimit-*` headers.
    pub fn write(&self, headers: &mut HeaderMap) {
        for (name, value) in self.headers() {
            headers.insert(name, HeaderValue::from(value));
        }
    }

    fn headers(self) -> [(HeaderName, u64); 3] {
        let Self { limit, remaining, reset_seconds } = self;
        [(LIMIT, limit.into()), (REMAINING, remaining.into()), (RESET, reset_seconds)]
    }
}

impl RequestBucket {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a bucket is full long before milliseconds lose digits"
    )]
    fn tokens_at(self, full: f64, per_ms: f64, now_ms: u64) -> f64 {
        (self.tokens + now_ms.saturating_sub(self.at_ms) as f64 * per_ms).min(full)
    }
}

/// Makes room. Full buckets are removed without effect. If none is full, the callers with the most tokens left are
/// forgotten: they are the furthest from their limit and gain the least by starting with a full bucket.
fn evict(buckets: &mut HashMap<String, RequestBucket>, full: f64, per_ms: f64, now_ms: u64) {
    buckets.retain(|_, bucket| bucket.tokens_at(full, per_ms, now_ms) < full);
    if buckets.len() >= BUCKETS_MAX {
        let mut levels: Vec<f64> = buckets.values().map(|bucket| bucket.tokens).collect();
        levels.sort_by(f64::total_cmp);
        let median = levels.get(levels.len() / 2).copied().unwrap_or_default();
        buckets.retain(|_, bucket| bucket.tokens < median);
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole and not negative"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use client::{Environment, TravellingClock};
    use model::TimestampMs;

    use super::RateLimit;

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let clock = TravellingClock::starting_at(TimestampMs(1_800_000_000_000));
        let environment = Environment::simulated(clock.clone(), 1);
        let limit = RateLimit::new(environment, 3, Duration::from_secs(60));
        for remaining in [2, 1, 0] {
            assert_eq!(limit.take("ann").unwrap().remaining, remaining);
        }
        let problem = limit.take("ann").unwrap_err();
        assert_eq!((problem.status().as_u16(), problem.code()), (429, "rate_limited"));
        assert_eq!(limit.take("bob").unwrap().remaining, 2);
        clock.travel(Duration::from_secs(19));
        assert!(limit.take("ann").is_err());
        clock.travel(Duration::from_secs(1));
        assert_eq!(limit.take("ann").unwrap().remaining, 0);
        clock.travel(Duration::from_secs(3600));
        assert_eq!(limit.take("ann").unwrap().remaining, 2);
    }
}
