//! A system that this binary was built without: refuses its commands and names the way to get them.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;

use crate::error::CommandError;

/// The command of a system that is not in this build. It takes any arguments, so that the answer is always the same.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct MissingSystem {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl MissingSystem {
    /// Refuses the command. `system` is the name of the command and of the feature.
    pub(crate) fn refuse(self, system: &str) -> Result<ExitCode, CommandError> {
        let arguments: Vec<_> = self.arguments.iter().map(|word| word.to_string_lossy()).collect();
        let reason = format!("this binary was built without the feature '{system}'");
        Err(CommandError::new(format!("running planisphere {system}"), reason).hint(format!(
            "Build it in: cargo run --release --features {system} -- {system} {}",
            arguments.join(" ")
        )))
    }
}
