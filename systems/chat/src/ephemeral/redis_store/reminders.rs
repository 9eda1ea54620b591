//! Reminders in the sorted set `unread:due`: the member is the message, the score when it is due.

use std::time::Duration;

use async_trait::async_trait;
use redis::{AsyncCommands as _, Script};

use super::connection::RedisEphemeral;
use crate::domain::{UnreadReminder, UtcTimestamp};
use crate::error::Result;
use crate::reminder::ReminderQueue;

const DUE: &str = "unread:due";

/// Takes what is due by moving it into the future: a process that is lost after it leaves the reminder to another.
const CLAIM: &str =
    "local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, member in ipairs(due) do redis.call('ZADD', KEYS[1], ARGV[2], member) end
return due";

#[async_trait]
impl ReminderQueue for RedisEphemeral {
    async fn schedule(&self, reminder: &UnreadReminder, due: UtcTimestamp) -> Result<()> {
        let (key, member) = (self.key(DUE), reminder.key());
        let _: u64 = self.call(async |redis| redis.zadd(key, member, due.ms()).await).await?;
        Ok(())
    }

    async fn cancel(&self, reminder: &UnreadReminder) -> Result<()> {
        let (key, member) = (self.key(DUE), reminder.key());
        let _: u64 = self.call(async |redis| redis.zrem(key, member).await).await?;
        Ok(())
    }

    async fn claim_due(
        &self,
        now: UtcTimestamp,
        lease: Duration,
        most: usize,
    ) -> Result<Vec<UnreadReminder>> {
        let (key, script) = (self.key(DUE), Script::new(CLAIM));
        let again = now.after(lease).ms();
        let due: Vec<String> = self
            .call(async |redis| {
                script.key(key).arg(now.ms()).arg(again).arg(most).invoke_async(redis).await
            })
            .await?;
        Ok(due.iter().filter_map(|member| UnreadReminder::parse(member)).collect())
    }
}
