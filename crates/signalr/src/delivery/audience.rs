//! The receivers of a message, by name.

use crate::ids::ConnectionId;

/// The receivers of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Every connection of the hub but those listed.
    All {
        /// Connections that get nothing.
        except: Vec<ConnectionId>,
    },
    /// These connections.
    Connections(Vec<ConnectionId>),
    /// The members of these groups but those listed. A member of two of them gets the message twice.
    Groups {
        /// Names of groups.
        groups: Vec<String>,
        /// Connections that get nothing.
        except: Vec<ConnectionId>,
    },
    /// Every connection of these users.
    Users(Vec<String>),
}
