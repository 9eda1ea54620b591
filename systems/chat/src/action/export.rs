//! A room as lines of JSON, page by page, oldest first.

use client::{Container, Item, Query, QueryPageOptions};
use serde::de::IgnoredAny;

use crate::chat::Chat;
use crate::domain::RoomName;
use crate::error::{Error, Result};

/// A running export.
pub struct RoomExport {
    messages: Container,
    query: Query,
    continuation: Option<String>,
    is_over: bool,
}

impl Chat {
    /// Exports a room: every stored property of every message.
    ///
    /// # Errors
    /// `NotFound` for a missing room; those of the account.
    pub async fn export_room(&self, room: &RoomName) -> Result<RoomExport> {
        if self.core.rooms.get_by_name(room).await?.value.is_none() {
            return Err(Error::not_found(format!("there is no room '{room}'")));
        }
        let query = Query::text("SELECT * FROM c WHERE c.roomName = @room ORDER BY c.timestamp");
        let query = query.parameter("@room", room.as_str());
        let query = query.within(self.core.containers.room_key(room));
        let messages = self.core.containers.messages.clone();
        Ok(RoomExport { messages, query, continuation: None, is_over: false })
    }
}

impl RoomExport {
    /// The lines of the next page; `None` at the end.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn next(&mut self) -> Result<Option<String>> {
        while !self.is_over {
            let continuation = self.continuation.take();
            let options = QueryPageOptions { continuation, ..QueryPageOptions::default() };
            let page =
                self.messages.query_page::<Item<IgnoredAny>>(&self.query, options).await?.value;
            self.is_over = page.continuation.is_none();
            self.continuation = page.continuation;
            let mut lines = String::new();
            for item in &page.rows {
                lines.push_str(&item.stored()?.to_string());
                lines.push('\n');
            }
            if !lines.is_empty() {
                return Ok(Some(lines));
            }
        }
        Ok(None)
    }
}
