//! `planisphere import` and `export`: the three forms, bad lines, positions, folders and endpoints.

mod export;
mod forms;
mod ground;
mod resume;
