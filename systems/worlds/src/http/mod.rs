//! The HTTP interface: routes to actions and questions.
//!
//! Owns paths, status codes and the form of bodies. Does not own any rule: every route calls the system. A route about
//! a world first gets the caller's right to it, and answers 404 without.

mod bodies;
mod config;
mod entities;
mod operations;
mod problem;
mod reply;
mod request;
mod router;
mod schemas;
mod search;
mod stream;
mod transfer;
mod trash;
mod worlds;
