//! How far the model is from somebody's own measurements, and the constants that would fit better.
//!
//! Owns the lines of measurements (`line`), which constants each of them speaks about (`feature`), the least squares
//! (`solve`) and the report (`report`). Pure. Does not own files.

mod feature;
mod line;
mod report;
mod solve;

pub use line::DiagnosticLine;
pub use report::{FittedConstant, OperationFit, Refit};
