//! The faulty wrapper (skeleton).
