//! Scripts against a whole engine in memory: what they see, what they leave, and how they end.

mod account;
mod functions;
mod hostile;
mod procedures;
mod samples;
mod transactions;
mod triggers;
