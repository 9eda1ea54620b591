//! Who is calling.

mod session;
mod token;
