//! Schema as code: reading, planning, applying and exporting.

mod errors;
mod fixture;
mod planning;
mod projects;
mod reference;
mod round_trip;
mod scripts;
mod seed;
mod template;
mod terraform;
