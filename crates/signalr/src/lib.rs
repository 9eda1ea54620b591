//! A SignalR server as a library: hubs as async Rust on axum, for the official clients.
//!
//! A hub is a set of async functions that clients call by name, and a handle that calls functions of clients: of one
//! connection, of a group, of a user, of all. Clients connect over WebSockets, Server-Sent Events or long polling, in
//! JSON or MessagePack.
//!
//! ```
//! use futures::stream;
//! use planisphere_signalr::{Caller, Hub, HubError};
//! use serde::Serialize;
//!
//! /// The state of the application, seen by every method.
//! struct Rooms {
//!     open: Vec<String>,
//! }
//!
//! #[derive(Serialize)]
//! #[serde(rename_all = "camelCase")]
//! struct Message<'a> {
//!     from_user: &'a str,
//!     text: &'a str,
//! }
//!
//! async fn join(caller: Caller<Rooms>, room: String) -> Result<usize, HubError> {
//!     if !caller.state().open.contains(&room) {
//!         return Err(HubError::refused(format!("there is no room '{room}'")));
//!     }
//!     caller.join(&room).await?;
//!     Ok(caller.hub().group_members(&room))
//! }
//!
//! async fn say(caller: Caller<Rooms>, room: String, text: String) -> Result<(), HubError> {
//!     let message = Message { from_user: caller.user().unwrap_or("somebody"), text: &text };
//!     caller.hub().group(room).send("newMessage", (message,)).await
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let hub = Hub::builder(Rooms { open: vec!["general".to_owned()] })
//!     .method("Join", join)
//!     .method("Say", say)
//!     .stream("CountTo", |_: Caller<Rooms>, last: u32| async move {
//!         Ok(stream::iter((1..=last).map(Ok::<_, HubError>)))
//!     })
//!     .on_connected(|caller: Caller<Rooms>| async move {
//!         caller.client().send("welcome", (caller.connection_id().as_str(),)).await
//!     })
//!     .on_disconnected(|caller, reason| async move {
//!         drop((caller, reason));
//!     })
//!     // An authenticating middleware around the routes puts its principal into the extensions of the request.
//!     .user_id(|request| request.extensions.get::<String>().cloned())
//!     .build();
//!
//! let application: axum::Router = hub.routes("/chatHub");
//! // Anywhere else in the application:
//! hub.context().user("alice").send("notify", ("the server restarts soon",)).await.unwrap();
//! # drop(application);
//! # }
//! ```
//!
//! # Limits
//!
//! Every queue is bounded, see [`HubOptions`]. A send never waits for a client: one that reads more slowly than its
//! messages come is disconnected. A client that sends faster than its calls run is not read further.
//!
//! # Several instances
//!
//! A [`Backplane`] carries messages to the connections of other processes. Without one, a hub is alone.

mod connection;
mod delivery;
mod error;
mod hub;
mod ids;
mod message;
mod options;
mod transport;

pub use connection::{DisconnectReason, UploadStream};
pub use delivery::{
    Audience, Backplane, BackplaneEvent, BackplaneTopic, ClientAnswer, EncodedMessage, LocalHub,
};
pub use error::{HubError, HubErrorKind};
pub use hub::HubCaller as Caller;
pub use hub::{Cancellation, Clients, Hub, HubBuilder, HubContext, HubParameter, MethodFunction};
pub use ids::{ConnectionId, RandomBytes};
pub use message::HubArguments;
pub use options::{HubOptions, OriginPolicy, ProtocolSet, TransportSet};
