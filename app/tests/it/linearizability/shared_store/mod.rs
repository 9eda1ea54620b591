//! Three processes on one PostgreSQL store, under faults of processes, connections, the database and the network.
//!
//! `network` is the connection of one process to the database, which can be cut; `processes` are the three; `rounds`
//! carries out the faults while clients of the parent module use all three, and compares what they saw.

mod network;
mod processes;
mod rounds;
