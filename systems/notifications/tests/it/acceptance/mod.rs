//! The acceptance scenarios NT-A1 to NT-A16, one text each, run in two ways:
//!
//! - `embedded`: the library's interface, on an account inside the program;
//! - `over_http`: the HTTP interface on a socket, with bearer tokens, on an account that is connected over HTTP to a
//!   server on another socket.
//!
//! Both use the scripted fake providers behind their own sockets, and the test clock. More detailed tests of single
//! rules are in `rules`, `http` and `delivery`.

mod ask;
mod damaged;
mod delivery;
mod devices;
mod embedded;
mod erasure;
mod killed;
mod lists;
mod over_http;
mod quiet;
mod running;
mod scenarios;
mod server;
mod stage;
mod store;
