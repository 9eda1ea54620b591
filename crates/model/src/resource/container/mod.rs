//! The stored properties of a container.
//!
//! Owns what a client says about a container: wire form, defaults, the checks among its policies and what a replace may
//! not change. Does not own system properties, throughput or items.

mod json;
mod properties;
mod replace;
#[cfg(test)]
mod tests;

pub use properties::ContainerProperties;
pub use replace::ImmutableProperty;
