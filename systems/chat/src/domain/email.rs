//! The reservation of a mail address: unique keys hold inside one partition only, so an item of its own makes an
//! address unique.

use serde::{Deserialize, Serialize};

/// An item of `users` that is no user: it has a type, and its id begins with `email:`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EmailReservation {
    pub(crate) id: String,
    /// Equal to the id: the partition key.
    pub(crate) user_name: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The user with this address.
    pub(crate) owner: String,
}

impl EmailReservation {
    pub(crate) fn new(email: &str, owner: &str) -> Self {
        let id = Self::id_of(email);
        let (kind, owner) = ("emailReservation".to_owned(), owner.to_owned());
        Self { user_name: id.clone(), id, kind, owner }
    }

    pub(crate) fn id_of(email: &str) -> String {
        format!("email:{}", email.to_lowercase())
    }
}
