//! The stored properties of a container.
//!
//! Owns their wire form, defaults, the checks between policies, and which of them are immutable. Does not own system
//! properties, throughput or items.

mod json;
mod properties;
mod replace;
#[cfg(test)]
mod tests;

pub use properties::ContainerProperties;
pub use replace::ImmutableProperty;
