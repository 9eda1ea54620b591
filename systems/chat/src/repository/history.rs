//! Pages of history and search: newest first by time, and by id among messages of one time.
//!
//! A room may have many messages of one millisecond, and a page may end among them. Sorting by two properties needs a
//! composite index, which the container does not have. So a page asks for one message more than it returns. If that
//! one has the time of the last message of the page, the messages of that time are read again, sorted by their id.

use client::{Query, QueryText};
use service::charge::{ChargeMeter, ChargedValue};

use super::all_pages::all_pages;
use super::messages::MessageRepository;
use crate::domain::{ChatMessage, CursorTies, HistoryCursor, RoomName, UtcTimestamp};
use crate::error::Result;

/// What a page selects of a room.
#[derive(Clone, Copy)]
struct HistorySelection<'a> {
    operation: &'static str,
    room: &'a RoomName,
    cursor: Option<&'a HistoryCursor>,
    /// Only messages that contain it, without case.
    text: Option<&'a str>,
}

impl MessageRepository {
    /// The newest messages of a room, oldest first.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn recent_by_room(
        &self,
        room: &RoomName,
        take: u32,
    ) -> Result<ChargedValue<Vec<ChatMessage>>> {
        let operation = "messages.recent_by_room";
        let selection = HistorySelection { operation, room, cursor: None, text: None };
        self.oldest_first(selection, take).await
    }

    /// The newest messages of a room before a cursor, oldest first.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn before_by_room(
        &self,
        room: &RoomName,
        before: &HistoryCursor,
        take: u32,
    ) -> Result<ChargedValue<Vec<ChatMessage>>> {
        let operation = "messages.before_by_room";
        let selection = HistorySelection { operation, room, cursor: Some(before), text: None };
        self.oldest_first(selection, take).await
    }

    /// The newest messages of a room that contain a text, without case, newest first. Reads the whole room.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn search(
        &self,
        room: &RoomName,
        text: &str,
        before: Option<&HistoryCursor>,
        take: u32,
    ) -> Result<ChargedValue<Vec<ChatMessage>>> {
        let operation = "messages.search";
        let selection = HistorySelection { operation, room, cursor: before, text: Some(text) };
        self.newest_first(selection, take).await
    }

    async fn oldest_first(
        &self,
        selection: HistorySelection<'_>,
        take: u32,
    ) -> Result<ChargedValue<Vec<ChatMessage>>> {
        let mut found = self.newest_first(selection, take).await?;
        found.value.reverse();
        Ok(found)
    }

    async fn newest_first(
        &self,
        selection: HistorySelection<'_>,
        take: u32,
    ) -> Result<ChargedValue<Vec<ChatMessage>>> {
        let mut meter = ChargeMeter::default();
        let take = usize::try_from(take).unwrap_or(usize::MAX);
        let mut found = match selection.cursor {
            Some(HistoryCursor { timestamp, ties: CursorTies::Below(id) }) => {
                self.below(selection, (*timestamp, id), take, &mut meter).await?
            }
            _ => self.by_time(selection, take, &mut meter).await?,
        };
        // Stored order says nothing about messages of one time.
        found.sort_by(|one, other| (other.timestamp, &other.id).cmp(&(one.timestamp, &one.id)));
        self.charges.add(selection.room, meter.total());
        Ok(meter.finish(found))
    }

    /// The newest messages right below a message. It is rarely one of several of its time, so that is found out with
    /// the page, and only then asked for.
    async fn below(
        &self,
        selection: HistorySelection<'_>,
        (timestamp, id): (UtcTimestamp, &str),
        take: usize,
        meter: &mut ChargeMeter,
    ) -> Result<Vec<ChatMessage>> {
        let included = HistoryCursor { timestamp, ties: CursorTies::Included };
        let with_ties = HistorySelection { cursor: Some(&included), ..selection };
        let query = with_ties.newest(take.saturating_add(2));
        let mut found = self.selected(selection, query, meter).await?;
        let has_ties =
            found.iter().any(|message| message.timestamp == timestamp && message.id != id);
        let older = HistoryCursor::before(timestamp);
        let strictly_older = HistorySelection { cursor: Some(&older), ..selection };
        if !has_ties {
            found.retain(|message| message.timestamp != timestamp);
            return self.cut(strictly_older, found, take, meter).await;
        }
        let query = selection.at_time(timestamp, Some(id), take);
        let mut found = self.selected(selection, query, meter).await?;
        let missing = take.saturating_sub(found.len());
        if missing > 0 {
            found.extend(self.by_time(strictly_older, missing, meter).await?);
        }
        Ok(found)
    }

    async fn by_time(
        &self,
        selection: HistorySelection<'_>,
        take: usize,
        meter: &mut ChargeMeter,
    ) -> Result<Vec<ChatMessage>> {
        let query = selection.newest(take.saturating_add(1));
        let found = self.selected(selection, query, meter).await?;
        self.cut(selection, found, take, meter).await
    }

    /// Ends a page that was read with at least one message more, if there is one.
    async fn cut(
        &self,
        selection: HistorySelection<'_>,
        mut found: Vec<ChatMessage>,
        take: usize,
        meter: &mut ChargeMeter,
    ) -> Result<Vec<ChatMessage>> {
        let last = take.checked_sub(1).and_then(|last| found.get(last));
        let border = match (last, found.get(take)) {
            (Some(last), Some(next)) if last.timestamp == next.timestamp => last.timestamp,
            _ => {
                found.truncate(take);
                return Ok(found);
            }
        };
        found.retain(|message| message.timestamp > border);
        let query = selection.at_time(border, None, take - found.len());
        found.extend(self.selected(selection, query, meter).await?);
        Ok(found)
    }

    async fn selected(
        &self,
        selection: HistorySelection<'_>,
        query: QueryText,
        meter: &mut ChargeMeter,
    ) -> Result<Vec<ChatMessage>> {
        let room = selection.room;
        let mut query = query.parameter("@room", room.as_str());
        if let Some(text) = selection.text {
            query = query.parameter("@text", text);
        }
        let query = query.within(self.containers.room_key(room));
        let found = all_pages(&self.containers.messages, selection.operation, query).await?;
        meter.add(found.charge);
        Ok(found.value)
    }
}

/// The text of a page, with or without the condition of a search. Texts of queries are constants.
macro_rules! page_query {
    ($selection:expr, $condition:literal, $order:literal) => {
        Query::text(match $selection.text {
            None => concat!(
                "SELECT TOP @take * FROM c WHERE c.roomName = @room",
                $condition,
                " ORDER BY ",
                $order,
            ),
            Some(_) => concat!(
                "SELECT TOP @take * FROM c WHERE c.roomName = @room",
                $condition,
                " AND CONTAINS(c.content, @text, true) ORDER BY ",
                $order,
            ),
        })
    };
}

impl HistorySelection<'_> {
    /// The newest messages before the cursor.
    fn newest(&self, take: usize) -> QueryText {
        let query = match self.cursor.map(|cursor| (&cursor.ties, cursor.timestamp)) {
            None => page_query!(self, "", "c.timestamp DESC"),
            Some((CursorTies::Included, before)) => {
                page_query!(self, " AND c.timestamp <= @before", "c.timestamp DESC")
                    .parameter("@before", before)
            }
            Some((CursorTies::Excluded | CursorTies::Below(_), before)) => {
                page_query!(self, " AND c.timestamp < @before", "c.timestamp DESC")
                    .parameter("@before", before)
            }
        };
        query.parameter("@take", i64::try_from(take).unwrap_or(i64::MAX))
    }

    /// The messages of one time with the greatest ids, all below an id if one is given.
    fn at_time(&self, timestamp: UtcTimestamp, below: Option<&str>, take: usize) -> QueryText {
        let query = match below {
            Some(id) => page_query!(self, " AND c.timestamp = @at AND c.id < @below", "c.id DESC")
                .parameter("@below", id),
            None => page_query!(self, " AND c.timestamp = @at", "c.id DESC"),
        };
        let take = i64::try_from(take).unwrap_or(i64::MAX);
        query.parameter("@take", take).parameter("@at", timestamp)
    }
}
