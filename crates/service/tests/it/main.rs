//! Tests of the crate through its public interface.

mod ground;
mod http;
mod identity;
mod settings;
