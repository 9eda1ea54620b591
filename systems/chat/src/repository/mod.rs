//! The three repositories of seed 000: messages, users and rooms.
//!
//! Owns every call to the containers of the seed, with its charge. Every query names its partition key; the only
//! fan-outs are listing users and rooms, finding a user by its name at the issuer, and finding a message without its
//! room. Does not own who may call (`action`). Retries are those of the account.

mod all_pages;
mod charges;
mod history;
mod message_changes;
mod messages;
mod rooms;
mod users;

pub(crate) use all_pages::all_pages;
pub use charges::RoomCharges;
pub use message_changes::{DeleteResult, MessageChange};
pub use messages::{CreatedMessage, MessageRepository, NewMessage};
pub use rooms::RoomRepository;
pub use users::UserRepository;
