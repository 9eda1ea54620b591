//! Search in the rooms that the caller may see.

use std::cmp::Ordering;

use service::charge::ChargedValue;

use super::ChatMember;
use crate::chat::Chat;
use crate::domain::{ChatMessage, CursorTies, HistoryCursor, MessageView, RoomName, UtcTimestamp};
use crate::error::{Error, Result};

/// Where a page of results begins. Results are ordered by time; those of one time by room, then by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchCursor {
    /// The time.
    pub timestamp: UtcTimestamp,
    /// The last message of the former page; without it, messages of that very time are left out.
    pub message: Option<(RoomName, String)>,
}

const TEXT_CHARS: std::ops::RangeInclusive<usize> = 2..=100;

impl Chat {
    /// The newest messages that contain a text, without case, in one room or in all rooms of the member. Each room that
    /// is searched is read as a whole; the charge says what that costs.
    ///
    /// # Errors
    /// `NotFound` if `Features:Search` is off, `Invalid` for a text that is too short or too long, `Forbidden` in a
    /// room of others; those of the account.
    pub async fn search(
        &self,
        member: &ChatMember,
        text: &str,
        room: Option<&RoomName>,
        before: Option<&SearchCursor>,
        take: u32,
    ) -> Result<ChargedValue<Vec<MessageView>>> {
        let core = &self.core;
        if !core.settings.features.search {
            return Err(Error::not_found("Features:Search is off"));
        }
        let text = text.trim();
        if !TEXT_CHARS.contains(&text.chars().count()) {
            return Err(Error::invalid_field("q", "2 to 100 characters"));
        }
        let rooms = match room {
            Some(room) => vec![core.enter(member, room).await?.name.clone()],
            None => self.rooms_of(member).await?.into_iter().map(|room| room.name).collect(),
        };
        let (mut found, mut charge) = (Vec::new(), 0.0);
        for room in rooms {
            let before = before.map(|before| before.within(&room));
            let part = core.messages.search(&room, text, before.as_ref(), take).await?;
            charge += part.charge;
            found.extend(part.value);
        }
        found.sort_by(|one, other| {
            let place = |message: &ChatMessage| {
                (message.timestamp, message.room_name.clone(), message.id.clone())
            };
            place(other).cmp(&place(one))
        });
        found.truncate(usize::try_from(take).unwrap_or(usize::MAX));
        Ok(ChargedValue::new(core.views(&found).await?, charge))
    }
}

impl SearchCursor {
    /// The same place, as one room has it.
    fn within(&self, room: &RoomName) -> HistoryCursor {
        let ties = match &self.message {
            None => CursorTies::Excluded,
            Some((of, id)) => match room.cmp(of) {
                Ordering::Less => CursorTies::Included,
                Ordering::Equal => CursorTies::Below(id.clone()),
                Ordering::Greater => CursorTies::Excluded,
            },
        };
        HistoryCursor { timestamp: self.timestamp, ties }
    }
}
