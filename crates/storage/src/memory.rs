//! The in-memory store (skeleton).
