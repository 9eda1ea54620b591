//! Settings in the words of Microsoft's emulators: environment variables of both, arguments of the Windows program.

mod arguments;
mod variables;

pub(crate) use variables::{EmulatorVariables, VariableScope};
