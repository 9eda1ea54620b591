//! `planisphere schema`: on a folder, over HTTP, and what it refuses.

mod folder;
mod ground;
mod served;
