//! A process that writes is killed again and again; nothing it was told is ever lost.
//!
//! `writer` is the process, the test binary run again; it tells on a pipe what it begins and what was acknowledged.
//! `history` is what must be true from what was told; `rounds` kills, opens and compares.

mod effect;
mod history;
mod rounds;
mod writer;
