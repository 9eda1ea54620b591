//! Compare the charge model with measurements, and compute constants that fit them better.
//!
//! Owns the measurements (`line`), the constants that each depends on (`feature`), the least squares solver (`solve`)
//! and the report (`report`). Does not own files.

mod feature;
mod line;
mod report;
mod solve;

pub use line::DiagnosticLine;
pub use report::{FittedConstant, OperationFit, Refit};
