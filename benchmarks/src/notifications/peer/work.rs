//! The way of one event on PostgreSQL: the same decisions as our side takes, in the same order.
//!
//! Owns one connection that works. Two transactions for each event: the claim, and everything else with the end.

use notifications::{Category, EventPayload, NotificationSettings, Platform};
use postgres::{Client, Row, Statement, Transaction};

use super::super::mix::DEDUPE_MINUTES;
use super::tables;
use crate::{Error, Result};

/// Events that one notification combines at most.
const MERGED_EVENTS_MAX: i32 = 100;

/// One connection of a worker.
pub(super) struct PostgresWorker {
    client: Client,
    worker: String,
    rules: Rules,
}

/// What a connection needs to decide.
struct Rules {
    settings: NotificationSettings,
    statements: Statements,
}

struct Statements {
    claim: Statement,
    one_at_a_time: Statement,
    preferences: Statement,
    earlier: Statement,
    merge: Statement,
    devices: Statement,
    pushed: Statement,
    list: Statement,
    unread: Statement,
    end: Statement,
}

/// An event that was claimed.
struct ClaimedEvent {
    id: i64,
    user_id: String,
    event_type: String,
    category: Category,
    dedupe_key: String,
    payload: EventPayload,
}

/// How an event ends.
#[derive(Default)]
struct EventEnd {
    status: &'static str,
    reason: Option<&'static str>,
    notification_id: Option<i64>,
    deliveries: Option<String>,
    is_listed: bool,
}

/// What came of a look into the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PeerWorkResult {
    /// Nothing waits.
    Nothing,
    /// The event of this number is done, and has become an item of the list.
    Listed(u64),
    /// An event is done and has none of its own.
    Unlisted,
}

impl PostgresWorker {
    pub(super) fn new(mut client: Client, worker: String) -> Result<Self> {
        let mut prepared = |text| client.prepare(text);
        let statements = Statements {
            claim: prepared(tables::CLAIM)?,
            one_at_a_time: prepared(tables::ONE_AT_A_TIME)?,
            preferences: prepared(tables::PREFERENCES)?,
            earlier: prepared(tables::EARLIER)?,
            merge: prepared(tables::MERGE)?,
            devices: prepared(tables::DEVICES)?,
            pushed: prepared(tables::PUSHED)?,
            list: prepared(tables::LIST)?,
            unread: prepared(tables::UNREAD)?,
            end: prepared(tables::END)?,
        };
        let rules = Rules { settings: NotificationSettings::default(), statements };
        Ok(Self { client, worker, rules })
    }

    /// Claims one event and carries it to its end, if there is one.
    pub(super) fn work(&mut self) -> Result<PeerWorkResult> {
        let statements = &self.rules.statements;
        let Some(row) = self.client.query_opt(&statements.claim, &[&self.worker])? else {
            return Ok(PeerWorkResult::Nothing);
        };
        let event = ClaimedEvent::of(&row)?;
        let mut transaction = self.client.transaction()?;
        transaction.execute(&statements.one_at_a_time, &[&event.user_id])?;
        let end = self.rules.decide(&mut transaction, &event)?;
        let EventEnd { status, reason, notification_id, deliveries, is_listed } = end;
        let ended = transaction.execute(
            &statements.end,
            &[&event.id, &status, &reason, &notification_id, &deliveries, &self.worker],
        )?;
        if ended != 1 {
            return Err(format!("event {} was taken by somebody else", event.id).into());
        }
        transaction.commit()?;
        let number = u64::try_from(event.id)?;
        Ok(if is_listed { PeerWorkResult::Listed(number) } else { PeerWorkResult::Unlisted })
    }
}

impl Rules {
    fn decide(&self, transaction: &mut Transaction<'_>, event: &ClaimedEvent) -> Result<EventEnd> {
        let wanted = transaction.query_one(&self.statements.preferences, &[&event.user_id])?;
        let wants = match event.category {
            Category::Safety | Category::Security => true,
            Category::Social => wanted.try_get(0)?,
            Category::News => wanted.try_get(1)?,
            Category::Marketing => wanted.try_get(2)?,
        };
        if !wants {
            return Ok(completed(Some("category_off")));
        }
        let minutes = i32::try_from(DEDUPE_MINUTES)?;
        let earlier = transaction
            .query_opt(&self.statements.earlier, &[&event.user_id, &event.dedupe_key, &minutes])?;
        if let Some(earlier) = earlier
            && earlier.try_get::<_, i32>(1)? < MERGED_EVENTS_MAX
        {
            return self.merge(transaction, event, earlier.try_get(0)?);
        }
        let is_quiet: bool = wanted.try_get(3)?;
        if is_quiet && !event.category.is_critical() {
            return self.list(transaction, event, &completed(Some("quiet_hours")), &[]);
        }
        let devices = transaction.query(&self.statements.devices, &[&event.user_id])?;
        if devices.is_empty() {
            return self.list(transaction, event, &completed(Some("no_device")), &[]);
        }
        if self.exceeds_limits(transaction, event)? {
            let reason = Some("rate_limited");
            let end = EventEnd { status: "RATE_LIMITED", reason, ..EventEnd::default() };
            return self.list(transaction, event, &end, &[]);
        }
        self.list(transaction, event, &completed(None), &devices)
    }

    fn merge(
        &self,
        transaction: &mut Transaction<'_>,
        event: &ClaimedEvent,
        id: i64,
    ) -> Result<EventEnd> {
        let (title, body) = event.text();
        let actor = event.payload.actor().unwrap_or_default();
        let values: [&(dyn postgres::types::ToSql + Sync); 5] =
            [&id, &event.id, &actor, &title, &body];
        transaction.execute(&self.statements.merge, &values)?;
        Ok(EventEnd { status: "DEDUPLICATED", notification_id: Some(id), ..EventEnd::default() })
    }

    /// Whether a user has received the allowed number of pushes of a category.
    fn exceeds_limits(
        &self,
        transaction: &mut Transaction<'_>,
        event: &ClaimedEvent,
    ) -> Result<bool> {
        let Some(limit) = self.settings.rate_limits.get(&event.category) else {
            return Ok(false);
        };
        let category = event.category.name();
        let pushed =
            transaction.query_one(&self.statements.pushed, &[&event.user_id, &category])?;
        let over = |limit: Option<usize>, count: i64| {
            limit.is_some_and(|limit| usize::try_from(count).is_ok_and(|count| count >= limit))
        };
        Ok(over(limit.per_hour, pushed.try_get(0)?) || over(limit.per_day, pushed.try_get(1)?))
    }

    /// Writes the item of the list, and pushes to the devices: each takes it at once, as on our side.
    fn list(
        &self,
        transaction: &mut Transaction<'_>,
        event: &ClaimedEvent,
        end: &EventEnd,
        devices: &[Row],
    ) -> Result<EventEnd> {
        let (title, body) = event.text();
        let payload = &event.payload;
        let (actor, category) = (payload.actor().unwrap_or_default(), event.category.name());
        let deeplink = format!("asora://post/{}", payload.target_id);
        let (actors, pushed) = (vec![actor], !devices.is_empty());
        let listed = transaction.query_one(
            &self.statements.list,
            &[
                &event.user_id,
                &category,
                &event.event_type,
                &title,
                &body,
                &deeplink,
                &payload.target_id,
                &actors,
                &payload.actor_name,
                &event.dedupe_key,
                &pushed,
            ],
        )?;
        let id: i64 = listed.try_get(0)?;
        let deliveries = self.push(transaction, event, id, devices)?;
        let (status, reason, notification_id) = (end.status, end.reason, Some(id));
        Ok(EventEnd { status, reason, notification_id, deliveries, is_listed: true })
    }

    /// Records of pushes; the badge of one platform needs a count.
    fn push(
        &self,
        transaction: &mut Transaction<'_>,
        event: &ClaimedEvent,
        id: i64,
        devices: &[Row],
    ) -> Result<Option<String>> {
        let mut records = Vec::new();
        for device in devices {
            let (name, platform): (String, String) = (device.try_get(0)?, device.try_get(2)?);
            if platform == Platform::Apns.name() {
                transaction.query_one(&self.statements.unread, &[&event.user_id])?;
            }
            records.push(serde_json::json!({
                "deviceId": name, "result": "delivered", "providerId": id.to_string(),
            }));
        }
        Ok((!records.is_empty()).then(|| serde_json::Value::Array(records).to_string()))
    }
}

impl ClaimedEvent {
    fn of(row: &Row) -> Result<Self> {
        let category: String = row.try_get(3)?;
        let payload: String = row.try_get(5)?;
        Ok(Self {
            id: row.try_get(0)?,
            user_id: row.try_get(1)?,
            event_type: row.try_get(2)?,
            category: Category::from_name(&category).ok_or_else(|| Error::from("no category"))?,
            dedupe_key: row.try_get(4)?,
            payload: serde_json::from_str(&payload)?,
        })
    }

    /// A title and a body about as long as those of our templates.
    fn text(&self) -> (String, String) {
        let actor = self.payload.actor_name.as_deref().unwrap_or_default();
        let snippet = self.payload.snippet.as_deref().unwrap_or("you may want to know about it");
        (format!("{actor} did something"), format!("{actor}: {snippet}"))
    }
}

fn completed(reason: Option<&'static str>) -> EventEnd {
    EventEnd { status: "COMPLETED", reason, ..EventEnd::default() }
}
