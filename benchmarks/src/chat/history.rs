//! What a message and a page of history cost in a room with a long history.
//!
//! Rooms are filled through the account, past the rules of the chat, so that a long history can be had in time.

use std::time::Duration;

use chat::{Chat, HistoryCursor, RoomName, SendRequest};
use client::{Account, PartitionKey};
use futures::{StreamExt as _, TryStreamExt as _};
use serde_json::json;

use super::serve;
use crate::meter::cpu_of_process;
use crate::{Error, Result, progress};

/// Messages and pages that are measured.
const MEASURED: u32 = 200;
const WRITERS: usize = 16;
/// The time of the first message; each is a second after the other.
const FIRST_SECONDS: u64 = 1_600_000_000;
const PAGE: u32 = 20;

/// The cost in a room with so many messages.
#[derive(Clone, Debug)]
pub struct HistoryFigures {
    /// Messages in the room before.
    pub messages: u64,
    /// Request units of a message.
    pub send_charge: f64,
    /// Request units of the newest page.
    pub page_charge: f64,
    /// Request units of a page in the middle of the history.
    pub middle_charge: f64,
    /// CPU time of a message.
    pub send_cpu: Duration,
    /// CPU time of the newest page.
    pub page_cpu: Duration,
}

/// Measures rooms with these numbers of messages.
pub(super) async fn measure(sizes: &[u64]) -> Result<Vec<HistoryFigures>> {
    let account = Account::open("memory").await?;
    let chat = serve::open(account).await?;
    chat.seed().await?;
    let mut figures = Vec::new();
    for size in sizes {
        progress::step(&format!("a room of {size} messages"));
        figures.push(measure_room(&chat, *size).await?);
    }
    Ok(figures)
}

async fn measure_room(chat: &Chat, size: u64) -> Result<HistoryFigures> {
    let name = format!("h{size}");
    let room = RoomName::parse(&name)?;
    chat.create_room(&name, None).await?;
    chat.set_user_rooms("alice@example.com", std::slice::from_ref(&name)).await?;
    fill(chat, &name, size).await?;
    let alice = chat.member("alice@example.com").await?;
    let process = std::process::id().to_string();
    let (mut send_charge, cpu) = (0.0, cpu_of_process(&process)?);
    for number in 0..MEASURED {
        let request = SendRequest {
            room: room.clone(),
            content: format!("one more message, number {number}"),
            correlation_id: None,
            reply_to: None,
        };
        send_charge += chat.send(&alice, request).await?.charge;
    }
    let send_cpu = cpu_of_process(&process)?.saturating_sub(cpu) / MEASURED;
    let (mut page_charge, cpu) = (0.0, cpu_of_process(&process)?);
    for _ in 0..MEASURED {
        page_charge += chat.history(&alice, &room, None, PAGE).await?.charge;
    }
    let page_cpu = cpu_of_process(&process)?.saturating_sub(cpu) / MEASURED;
    let middle = chat::UtcTimestamp::from_ms((FIRST_SECONDS + size / 2) * 1_000);
    let cursor = HistoryCursor::before_message(middle, "5");
    let middle_charge = chat.history(&alice, &room, Some(&cursor), PAGE).await?.charge;
    let mean = |sum: f64| sum / f64::from(MEASURED);
    Ok(HistoryFigures {
        messages: size,
        send_charge: mean(send_charge),
        page_charge: mean(page_charge),
        middle_charge,
        send_cpu,
        page_cpu,
    })
}

async fn fill(chat: &Chat, room: &str, size: u64) -> Result<()> {
    let key: PartitionKey = room.into();
    let (messages, key) = (&chat.containers().messages, &key);
    let write = |number: u64| async move {
        let time = chat::UtcTimestamp::from_ms((FIRST_SECONDS + number) * 1_000);
        let message = json!({
            "id": number.to_string(), "roomName": room, "content": format!("message {number}"),
            "fromUser": "alice@example.com", "timestamp": time, "readBy": [],
        });
        messages.create(key, &message).await.map(|_| ()).map_err(Error::from)
    };
    futures::stream::iter(0..size).map(write).buffer_unordered(WRITERS).try_collect::<()>().await
}
