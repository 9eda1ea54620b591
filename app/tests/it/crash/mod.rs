//! A process that writes is killed again and again; no write that was acknowledged to it is lost.
//!
//! `writer` is the process, the test binary run again; it reports on a pipe what it begins and what was acknowledged.
//! `history` is what must be true after these reports; `rounds` kills, opens and compares.

mod effect;
mod history;
mod rounds;
mod writer;
