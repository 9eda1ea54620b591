//! `planisphere import`: JSON lines, a JSON array or a CSV table into a container, in a folder or behind an endpoint.
//!
//! Owns reading the three formats, what is done about bad lines, and the position a stopped import goes on at. Does not
//! own any rule about items: the account refuses what breaks one, and the line is named here.

mod array;
mod lines;
mod loading;
mod position;
mod records;
mod run;
mod table;
mod target;

pub(crate) use run::Import;
