//! Schema as code: files read, places compared, changed and written down.

mod ground;
mod mistakes;
mod planning;
mod reference;
mod round_trip;
mod seed;
mod template;
mod terraform;
