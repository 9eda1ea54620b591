//! The two halves of an exchange: the request as the rest of the gateway reads it, and the reply it gives.
//!
//! Owns headers by name, dates, escapes, error bodies and the envelope of feeds. Does not own any resource.

mod decimal;
mod envelope;
mod escape;
mod failure;
pub(crate) mod header;
mod header_text;
mod http_date;
mod origin;
mod reply;
mod request;
mod tables;

pub(crate) use envelope::Envelope;
pub(crate) use escape::percent_decoded;
pub(crate) use failure::{Failure, Outcome};
pub(crate) use header_text::{HeaderText, header_value};
pub(crate) use http_date::{http_date, parse_http_date};
pub(crate) use origin::Origin;
pub(crate) use reply::Reply;
pub(crate) use request::Request;
pub(crate) use tables::HeaderTables;
