//! The commands. What needs two steps is a script, so that nobody sees the state between them.

use std::time::Duration;

use async_trait::async_trait;
use redis::{AsyncCommands as _, Script};

use super::connection::RedisEphemeral;
use crate::ephemeral::traits::{EphemeralResult, EphemeralStore};
use crate::ephemeral::{HEARTBEAT_SECONDS, PRESENCE_SECONDS};

/// Keys per step of a scan.
const SCAN_KEYS: usize = 1_000;

/// The first attempt begins the window.
const COUNT_ATTEMPT: &str = "local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return n";

/// Of two callers with the same code one succeeds.
const TAKE_CODE: &str = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
return 1";

/// The window is cleaned, counted and extended at once, by the clock of Redis: that of callers may differ.
const TAKE_PERMIT: &str = "local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - ARGV[1])
if redis.call('ZCOUNT', KEYS[1], now - ARGV[1], '+inf') >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now, now .. ':' .. time[2] .. ':' .. redis.call('ZCARD', KEYS[1]))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1";

const PUT_PRESENCE: &str = "redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[4])
redis.call('SET', KEYS[2], ARGV[3], 'EX', ARGV[5])
return 1";

const REMOVE_PRESENCE: &str = "redis.call('DEL', KEYS[2])
return redis.call('HDEL', KEYS[1], ARGV[1])";

const PRESENCE: &str = "presence:users";

#[async_trait]
impl EphemeralStore for RedisEphemeral {
    async fn put_code(&self, user: &str, value: &str, life: Duration) -> EphemeralResult<()> {
        let key = self.key(&format!("otp:{user}"));
        self.call(async |redis| redis.set_ex(key, value, life.as_secs()).await).await
    }

    async fn code(&self, user: &str) -> EphemeralResult<Option<String>> {
        let key = self.key(&format!("otp:{user}"));
        self.call(async |redis| redis.get(key).await).await
    }

    async fn take_code(&self, user: &str, value: &str) -> EphemeralResult<bool> {
        let keys = [self.key(&format!("otp:{user}")), self.key(&format!("otp_attempts:{user}"))];
        let [code, attempts] = &keys;
        let script = Script::new(TAKE_CODE);
        self.call(async |redis| script.key(code).key(attempts).arg(value).invoke_async(redis).await)
            .await
    }

    async fn count_attempt(&self, user: &str, window: Duration) -> EphemeralResult<u64> {
        let key = self.key(&format!("otp_attempts:{user}"));
        let script = Script::new(COUNT_ATTEMPT);
        let seconds = window.as_secs();
        self.call(async |redis| script.key(key).arg(seconds).invoke_async(redis).await).await
    }

    async fn attempts(&self, user: &str) -> EphemeralResult<u64> {
        let key = self.key(&format!("otp_attempts:{user}"));
        let count: Option<u64> = self.call(async |redis| redis.get(key).await).await?;
        Ok(count.unwrap_or(0))
    }

    async fn put_presence(&self, user: &str, entry: &str, time: &str) -> EphemeralResult<()> {
        let (hash, heartbeat) = (self.key(PRESENCE), self.key(&format!("heartbeat:{user}")));
        let script = Script::new(PUT_PRESENCE);
        let mut invocation = script.key(hash);
        invocation.key(heartbeat).arg(user).arg(entry).arg(time);
        invocation.arg(PRESENCE_SECONDS).arg(HEARTBEAT_SECONDS);
        let _: u64 = self.call(async |redis| invocation.invoke_async(redis).await).await?;
        Ok(())
    }

    async fn remove_presence(&self, user: &str) -> EphemeralResult<bool> {
        let (hash, heartbeat) = (self.key(PRESENCE), self.key(&format!("heartbeat:{user}")));
        let script = Script::new(REMOVE_PRESENCE);
        self.call(async |redis| script.key(hash).key(heartbeat).arg(user).invoke_async(redis).await)
            .await
    }

    async fn presence(&self) -> EphemeralResult<Vec<(String, String)>> {
        let key = self.key(PRESENCE);
        self.call(async |redis| redis.hgetall(key).await).await
    }

    async fn heartbeats(&self) -> EphemeralResult<Vec<String>> {
        let prefix = self.key("heartbeat:");
        // Characters that a pattern would interpret cannot be in the prefix: a tenant has letters, digits and '-'.
        let pattern = format!("{prefix}*");
        let keys: Vec<String> = self
            .call(async |redis| {
                let mut keys = Vec::new();
                let mut cursor = 0_u64;
                loop {
                    let mut scan = redis::cmd("SCAN");
                    scan.arg(cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(SCAN_KEYS);
                    let (next, page): (u64, Vec<String>) = scan.query_async(redis).await?;
                    keys.extend(page);
                    cursor = next;
                    if cursor == 0 {
                        return Ok(keys);
                    }
                }
            })
            .await?;
        Ok(keys.into_iter().filter_map(|key| Some(key.strip_prefix(&prefix)?.to_owned())).collect())
    }

    async fn take_permit(&self, user: &str, limit: u32, window: Duration) -> EphemeralResult<bool> {
        let key = self.key(&format!("ratelimit:markread:{user}"));
        let window_ms = u64::try_from(window.as_millis()).unwrap_or(u64::MAX);
        let script = Script::new(TAKE_PERMIT);
        self.call(async |redis| script.key(key).arg(window_ms).arg(limit).invoke_async(redis).await)
            .await
    }

    async fn ping(&self) -> EphemeralResult<()> {
        let _: String =
            self.call(async |redis| redis::cmd("PING").query_async(redis).await).await?;
        Ok(())
    }

    fn summary(&self) -> String {
        format!("Redis at {}", self.address())
    }
}
