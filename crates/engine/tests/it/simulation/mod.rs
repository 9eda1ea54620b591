//! The real engine on a store that fails, dawdles and loses power; many clients, splits, merges, sweeps.
//!
//! Everything follows from one seed: `SIMULATION_SEED=17 cargo test -p engine simulation` runs that one again, and
//! `SIMULATION_SEEDS=1000` looks at more of them.

mod client;
mod operator;
mod trace;
mod world;
