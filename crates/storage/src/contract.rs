//! The contract suite (skeleton).
