//! How often one caller may ask: a bucket of requests each, filled by time.
//!
//! Owns counting and the headers. Does not own who the caller is: a key is any text, usually of the principal or of the
//! address. Memory is bounded: buckets that are full again are forgotten.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use client::Environment;

use super::problem::Problem;

/// Buckets remembered at most; beyond, the fullest half is forgotten.
const BUCKETS_MAX: usize = 100_000;

const LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

/// A limit, with what each caller has left of it. Cloning shares it.
#[derive(Clone, Debug)]
pub struct RateLimit {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    environment: Environment,
    requests: u32,
    window: Duration,
    buckets: Mutex<HashMap<String, Bucket>>,
}

/// What was left of a bucket at some time.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    left: f64,
    at_ms: u64,
}

/// Where a caller stands after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    limit: u32,
    remaining: u32,
    reset_seconds: u64,
}

impl RateLimit {
    /// So many requests at once, and as many again in each window, evenly.
    #[must_use]
    pub fn new(environment: Environment, requests: u32, window: Duration) -> Self {
        let inner =
            Inner { environment, requests: requests.max(1), window, buckets: Mutex::default() };
        Self { inner: Arc::new(inner) }
    }

    /// Takes one request out of the caller's bucket.
    ///
    /// # Errors
    /// 429 `rate_limited` with `Retry-After` when it is empty.
    pub fn take(&self, caller: &str) -> Result<Standing, Problem> {
        let Inner { environment, requests, window, buckets } = &*self.inner;
        let now_ms = environment.now().0;
        let full = f64::from(*requests);
        let per_ms = full / (window.as_secs_f64() * 1000.0).max(1.0);
        let mut buckets = buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS_MAX && !buckets.contains_key(caller) {
            forget(&mut buckets, full, per_ms, now_ms);
        }
        let bucket =
            buckets.entry(caller.to_owned()).or_insert(Bucket { left: full, at_ms: now_ms });
        bucket.left = bucket.at(full, per_ms, now_ms);
        bucket.at_ms = now_ms.max(bucket.at_ms);
        let is_allowed = bucket.left >= 1.0;
        if is_allowed {
            bucket.left -= 1.0;
        }
        let seconds_until = |level: f64| ((level - bucket.left).max(0.0) / per_ms / 1000.0).ceil();
        let standing = Standing {
            limit: *requests,
            remaining: whole(bucket.left.floor()).try_into().unwrap_or(u32::MAX),
            reset_seconds: whole(seconds_until(full)),
        };
        if is_allowed {
            return Ok(standing);
        }
        let detail = format!("More than {requests} requests in {} s.", window.as_secs());
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail);
        let problem = problem.retry_after(Duration::from_secs(whole(seconds_until(1.0))));
        Err(standing
            .headers()
            .into_iter()
            .fold(problem, |problem, (name, value)| problem.header(name, value.to_string())))
    }
}

impl Standing {
    /// Adds the headers that tell a caller where it stands.
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

impl Bucket {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a bucket is full long before milliseconds lose digits"
    )]
    fn at(self, full: f64, per_ms: f64, now_ms: u64) -> f64 {
        (self.left + now_ms.saturating_sub(self.at_ms) as f64 * per_ms).min(full)
    }
}

/// Makes room: callers whose buckets are full again lose nothing; if all are in use, those with most left do.
fn forget(buckets: &mut HashMap<String, Bucket>, full: f64, per_ms: f64, now_ms: u64) {
    buckets.retain(|_, bucket| bucket.at(full, per_ms, now_ms) < full);
    if buckets.len() >= BUCKETS_MAX {
        let mut levels: Vec<f64> = buckets.values().map(|bucket| bucket.left).collect();
        levels.sort_by(f64::total_cmp);
        let median = levels.get(levels.len() / 2).copied().unwrap_or_default();
        buckets.retain(|_, bucket| bucket.left < median);
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
