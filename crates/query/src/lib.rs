//! The query language (skeleton).
