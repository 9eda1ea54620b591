//! The servers of our two sides: a hub, and bare WebSockets on axum with the same rooms.
//!
//! The bare server has no protocol: `J<room>` joins, `S<room>\n<text>` sends the text to the room as it is.

use std::collections::HashMap;
use std::io::Write;
use std::net::Ipv4Addr;
use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use axum::serve::ListenerExt as _;
use futures::{SinkExt as _, StreamExt as _};
use signalr::{Caller, Hub, HubOptions};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::descriptors::raise_descriptor_limit;
use crate::Result;

/// Messages that wait for one bare socket.
const QUEUE: usize = 4096;
/// What one read of a bare socket takes, as in the hub.
const READ_BUFFER_BYTES: usize = 2 * 1024;

/// Serves a hub until killed; prints its address.
pub(crate) fn serve_hub(out: &mut impl Write) -> Result<()> {
    let options = HubOptions { send_queue_messages_max: QUEUE, ..HubOptions::default() };
    let hub = Hub::builder(())
        .options(options)
        .method("Join", |caller: Caller, room: String| async move { caller.join(room).await })
        .method("Say", |caller: Caller, room: String, text: String| async move {
            caller.hub().group(room).send("m", (text,)).await
        })
        .build();
    serve(hub.routes("/hub"), out)
}

type RoomSenders = Arc<RwLock<HashMap<String, Vec<mpsc::Sender<Utf8Bytes>>>>>;

/// Serves bare WebSockets until killed; prints its address.
pub(crate) fn serve_bare(out: &mut impl Write) -> Result<()> {
    let rooms = RoomSenders::default();
    let routes = Router::new().route("/{name}", get(upgrade)).with_state(rooms);
    serve(routes, out)
}

async fn upgrade(
    State(rooms): State<RoomSenders>,
    Path(_): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade
        .read_buffer_size(READ_BUFFER_BYTES)
        .on_upgrade(|socket| async move { carry(rooms, socket).await })
}

async fn carry(rooms: RoomSenders, mut socket: WebSocket) {
    let (sender, mut receiver) = mpsc::channel::<Utf8Bytes>(QUEUE);
    loop {
        tokio::select! {
            Some(text) = receiver.recv() => {
                if socket.feed(Message::Text(text)).await.is_err() {
                    return;
                }
                while let Ok(text) = receiver.try_recv() {
                    if socket.feed(Message::Text(text)).await.is_err() {
                        return;
                    }
                }
                if socket.flush().await.is_err() {
                    return;
                }
            }
            message = socket.next() => match message {
                Some(Ok(Message::Text(text))) => received(&rooms, &sender, &text),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return,
            }
        }
    }
}

fn received(rooms: &RoomSenders, sender: &mpsc::Sender<Utf8Bytes>, text: &str) {
    if let Some(room) = text.strip_prefix('J') {
        let mut rooms = rooms.write().unwrap_or_else(PoisonError::into_inner);
        rooms.entry(room.to_owned()).or_default().push(sender.clone());
        let _ = sender.try_send("J".into());
    } else if let Some((room, text)) = text.strip_prefix('S').and_then(|text| text.split_once('\n'))
    {
        let text = Utf8Bytes::from(text);
        let rooms = rooms.read().unwrap_or_else(PoisonError::into_inner);
        for member in rooms.get(room).into_iter().flatten() {
            // A full queue loses the message; the load never fills one.
            let _ = member.try_send(text.clone());
        }
    }
}

fn serve(routes: Router, out: &mut impl Write) -> Result<()> {
    raise_descriptor_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        writeln!(out, "{}", listener.local_addr()?)?;
        out.flush()?;
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        Ok(axum::serve(listener, routes).await?)
    })
}
