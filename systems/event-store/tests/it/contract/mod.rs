//! One suite for every provider.

mod appends;
mod conditions;
mod feeds;
mod input;
mod isolation;
mod states;
mod suite;
