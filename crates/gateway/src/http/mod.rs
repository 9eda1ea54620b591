//! HTTP as the rest of the gateway sees it: parsed requests, responses under construction, and errors as responses.
//!
//! Owns header names, dates, percent-encoding, error bodies and the envelope of feeds. Does not own any resource.

mod body;
mod cached_headers;
mod date;
mod envelope;
mod error;
pub(crate) mod header;
mod header_value;
mod host;
mod message;
mod operation_name;
mod origin;
mod percent;
mod request;
mod response;

pub(crate) use body::parse_on_thread;
pub(crate) use cached_headers::{ContainerHeaders, HeaderMapCache};
pub(crate) use date::{format_http_date, parse_http_date};
pub use date::{format_rfc3339, parse_rfc3339};
pub(crate) use envelope::Envelope;
pub(crate) use error::{ApiError, ApiResult};
pub(crate) use header::NameFilter;
pub(crate) use header_value::{HeaderValueWriter, header_value};
pub(crate) use host::{has_local_host, host_header, host_name};
pub(crate) use operation_name::operation_name;
pub(crate) use origin::RequestOrigin;
pub(crate) use percent::percent_decode;
pub(crate) use request::ApiRequest;
pub(crate) use response::ApiResponse;
