//! `planisphere completions`: prints a completion script for a shell.

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use crate::error::CommandError;

/// Print a script that completes commands and flags in a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere completions bash > ~/.local/share/bash-completion/completions/planisphere
  planisphere completions zsh > ~/.zfunc/_planisphere
  planisphere completions fish > ~/.config/fish/completions/planisphere.fish")]
pub(crate) struct CompletionsCommand {
    /// The shell
    shell: Shell,
}

impl CompletionsCommand {
    pub(crate) fn run(self, program: &mut Command) -> Result<ExitCode, CommandError> {
        // Into memory first: the generator panics if its output is closed.
        let mut script = Vec::new();
        generate(self.shell, program, "planisphere", &mut script);
        let written = std::io::stdout().lock().write_all(&script);
        written.map_err(|error| CommandError::output(&error))?;
        Ok(ExitCode::SUCCESS)
    }
}
