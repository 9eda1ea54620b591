//! HTTP: negotiation, and the three transports that carry a connection.
//!
//! Does not own what the bytes mean; see `connection` and `message`.

mod long_polling;
mod negotiate;
mod origin;
mod query;
mod refusal;
mod routes;
mod server_sent_events;
mod token_table;
mod web_socket;

pub(crate) use routes::routes;
pub(crate) use token_table::TokenTable;
