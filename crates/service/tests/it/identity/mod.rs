//! Authentication.

mod session;
mod token;
