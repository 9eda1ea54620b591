//! Limits on the shape of a tree.
//!
//! Owns the numbers that the parser enforces and the printer relies on: what is printed must parse again.

/// The largest number of parentheses that may be open at once. Open parentheses cost the parser no stack (they wait in
/// a list), so the limit only rejects texts that consist of nothing else.
pub(crate) const PARENTHESES_MAX: usize = 4096;

/// The largest number of levels of an expression tree. Every later stage walks trees recursively; this depth fits into
/// the 2 MiB stack of a worker thread.
pub(crate) const TREE_LEVELS_MAX: usize = 512;
