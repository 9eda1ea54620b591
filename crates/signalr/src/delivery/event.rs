//! What instances send each other, as a value and as bytes.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::answers::ClientAnswer;
use super::audience::Audience;
use super::encoded::EncodedMessage;
use crate::error::{HubError, HubErrorKind};
use crate::ids::ConnectionId;
use crate::message::{Frame, HubProtocol, encode_message_pack};

/// What one instance of a hub sends to the others.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackplaneEvent {
    /// A message for connections that may be on any instance.
    Send {
        /// The receivers.
        to: Audience,
        /// The message.
        message: EncodedMessage,
    },
    /// A connection of another instance joins a group.
    JoinGroup {
        /// The connection.
        connection: ConnectionId,
        /// The name of the group.
        group: String,
    },
    /// A connection of another instance leaves a group.
    LeaveGroup {
        /// The connection.
        connection: ConnectionId,
        /// The name of the group.
        group: String,
    },
    /// A client of another instance is invoked and must answer.
    Invoke {
        /// The connection.
        connection: ConnectionId,
        /// The id of the answer.
        invocation_id: String,
        /// The invocation.
        message: EncodedMessage,
    },
    /// A client has answered.
    ClientAnswered {
        /// The id of the invocation.
        invocation_id: String,
        /// The answer.
        answer: ClientAnswer,
    },
}

impl BackplaneEvent {
    /// The topics whose subscribers need the event. None: every instance needs it.
    pub fn topics(&self) -> Option<Vec<super::BackplaneTopic>> {
        use super::BackplaneTopic as Topic;
        match self {
            Self::Send { to: Audience::All { .. }, .. } | Self::ClientAnswered { .. } => None,
            Self::Send { to: Audience::Connections(ids), .. } => {
                Some(ids.iter().map(|id| Topic::Connection(id.to_string())).collect())
            }
            Self::Send { to: Audience::Groups { groups, .. }, .. } => {
                Some(groups.iter().cloned().map(Topic::Group).collect())
            }
            Self::Send { to: Audience::Users(users), .. } => {
                Some(users.iter().cloned().map(Topic::User).collect())
            }
            Self::JoinGroup { connection, .. }
            | Self::LeaveGroup { connection, .. }
            | Self::Invoke { connection, .. } => {
                Some(vec![Topic::Connection(connection.to_string())])
            }
        }
    }

    /// The event as bytes for [`decode`](Self::decode) on another instance of the same version.
    pub fn encode(&self) -> Vec<u8> {
        encode_message_pack(&WireEvent::from(self)).expect("an event has only encodable parts")
    }

    /// The event of [`encode`](Self::encode).
    ///
    /// # Errors
    ///
    /// Fails with [`HubErrorKind::Backplane`] if the bytes are no event.
    pub fn decode(bytes: &[u8]) -> Result<Self, HubError> {
        let unreadable = |reason: String| {
            let message =
                format!("{} bytes from the backplane are no event: {reason}", bytes.len());
            HubError::new(HubErrorKind::Backplane, message)
        };
        let wire: WireEvent =
            rmp_serde::from_slice(bytes).map_err(|error| unreadable(error.to_string()))?;
        wire.into_event().ok_or_else(|| unreadable("a JSON message is not UTF-8".to_owned()))
    }
}

#[derive(Serialize, Deserialize)]
enum WireEvent {
    All(Vec<String>, WireMessage),
    Connections(Vec<String>, WireMessage),
    Groups(Vec<String>, Vec<String>, WireMessage),
    Users(Vec<String>, WireMessage),
    Join(String, String),
    Leave(String, String),
    Invoke(String, String, WireMessage),
    Answer(String, WireAnswer),
}

#[derive(Serialize, Deserialize)]
struct WireMessage(Option<Bytes>, Option<Bytes>);

#[derive(Serialize, Deserialize)]
enum WireAnswer {
    Void,
    Json(String),
    MessagePack(Bytes),
    Error(String),
    Gone,
}

impl From<&BackplaneEvent> for WireEvent {
    fn from(event: &BackplaneEvent) -> Self {
        let texts = |ids: &[ConnectionId]| ids.iter().map(ConnectionId::to_string).collect();
        match event {
            BackplaneEvent::Send { to, message } => {
                let message = message.into();
                match to {
                    Audience::All { except } => Self::All(texts(except), message),
                    Audience::Connections(ids) => Self::Connections(texts(ids), message),
                    Audience::Groups { groups, except } => {
                        Self::Groups(groups.clone(), texts(except), message)
                    }
                    Audience::Users(users) => Self::Users(users.clone(), message),
                }
            }
            BackplaneEvent::JoinGroup { connection, group } => {
                Self::Join(connection.to_string(), group.clone())
            }
            BackplaneEvent::LeaveGroup { connection, group } => {
                Self::Leave(connection.to_string(), group.clone())
            }
            BackplaneEvent::Invoke { connection, invocation_id, message } => {
                Self::Invoke(connection.to_string(), invocation_id.clone(), message.into())
            }
            BackplaneEvent::ClientAnswered { invocation_id, answer } => {
                let answer = match answer.clone() {
                    ClientAnswer::Void => WireAnswer::Void,
                    ClientAnswer::Json(text) => WireAnswer::Json(text),
                    ClientAnswer::MessagePack(bytes) => WireAnswer::MessagePack(bytes.into()),
                    ClientAnswer::Error(error) => WireAnswer::Error(error),
                    ClientAnswer::Gone => WireAnswer::Gone,
                };
                Self::Answer(invocation_id.clone(), answer)
            }
        }
    }
}

impl WireEvent {
    fn into_event(self) -> Option<BackplaneEvent> {
        let ids =
            |texts: Vec<String>| texts.into_iter().map(ConnectionId::from).collect::<Vec<_>>();
        let send = |to, message: WireMessage| {
            Some(BackplaneEvent::Send { to, message: message.into_message()? })
        };
        match self {
            Self::All(except, message) => send(Audience::All { except: ids(except) }, message),
            Self::Connections(found, message) => send(Audience::Connections(ids(found)), message),
            Self::Groups(groups, except, message) => {
                send(Audience::Groups { groups, except: ids(except) }, message)
            }
            Self::Users(users, message) => send(Audience::Users(users), message),
            Self::Join(connection, group) => {
                Some(BackplaneEvent::JoinGroup { connection: connection.into(), group })
            }
            Self::Leave(connection, group) => {
                Some(BackplaneEvent::LeaveGroup { connection: connection.into(), group })
            }
            Self::Invoke(connection, invocation_id, message) => {
                let message = message.into_message()?;
                let connection = connection.into();
                Some(BackplaneEvent::Invoke { connection, invocation_id, message })
            }
            Self::Answer(invocation_id, answer) => {
                let answer = match answer {
                    WireAnswer::Void => ClientAnswer::Void,
                    WireAnswer::Json(text) => ClientAnswer::Json(text),
                    WireAnswer::MessagePack(bytes) => ClientAnswer::MessagePack(bytes.to_vec()),
                    WireAnswer::Error(error) => ClientAnswer::Error(error),
                    WireAnswer::Gone => ClientAnswer::Gone,
                };
                Some(BackplaneEvent::ClientAnswered { invocation_id, answer })
            }
        }
    }
}

impl From<&EncodedMessage> for WireMessage {
    fn from(message: &EncodedMessage) -> Self {
        let bytes = |protocol| {
            message.frame(protocol).map(|frame| match frame {
                Frame::Text(text) => Bytes::from(text),
                Frame::Binary(bytes) => bytes,
            })
        };
        Self(bytes(HubProtocol::Json), bytes(HubProtocol::MessagePack))
    }
}

impl WireMessage {
    fn into_message(self) -> Option<EncodedMessage> {
        let mut message = EncodedMessage::default();
        if let Some(json) = self.0 {
            message.set(Frame::Text(json.try_into().ok()?));
        }
        if let Some(bytes) = self.1 {
            message.set(Frame::Binary(bytes));
        }
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_survives_the_way_to_another_instance() {
        let mut message = EncodedMessage::default();
        message.set(HubProtocol::Json.invocation(None, "a", b"[1]"));
        message.set(HubProtocol::MessagePack.invocation(None, "a", &[0x91, 1]));
        let ids = vec![ConnectionId::from("c1")];
        let (connection, group) = (ConnectionId::from("c1"), "g".to_owned());
        let audiences = [
            Audience::All { except: ids.clone() },
            Audience::Connections(ids.clone()),
            Audience::Groups { groups: vec!["g".to_owned()], except: ids },
            Audience::Users(vec!["u".to_owned()]),
        ];
        let mut events: Vec<BackplaneEvent> = audiences
            .into_iter()
            .map(|to| BackplaneEvent::Send { to, message: message.clone() })
            .collect();
        events.push(BackplaneEvent::JoinGroup {
            connection: connection.clone(),
            group: group.clone(),
        });
        events.push(BackplaneEvent::LeaveGroup { connection: connection.clone(), group });
        let invocation_id = "7".to_owned();
        events.push(BackplaneEvent::Invoke {
            connection,
            invocation_id: invocation_id.clone(),
            message,
        });
        for answer in [
            ClientAnswer::Void,
            ClientAnswer::Json("1".to_owned()),
            ClientAnswer::MessagePack(vec![1]),
            ClientAnswer::Error("e".to_owned()),
            ClientAnswer::Gone,
        ] {
            let invocation_id = invocation_id.clone();
            events.push(BackplaneEvent::ClientAnswered { invocation_id, answer });
        }
        for event in events {
            assert_eq!(BackplaneEvent::decode(&event.encode()).unwrap(), event);
        }
        assert_eq!(BackplaneEvent::decode(b"no").unwrap_err().kind(), HubErrorKind::Backplane);
    }
}
