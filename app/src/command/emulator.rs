//! `planisphere emulator`: `serve` with the defaults, variables and arguments of Microsoft's emulators.
//!
//! A command of its own, because the emulators listen on further ports, keep data in memory by default, and
//! have arguments such as `/Port=8082` that `serve` must not accept.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::serve::{EmulatorVariables, ServeCommand, VariableScope};
use crate::error::CommandError;

/// The port of the health probes of the newer emulator.
const HEALTH_PORT: u16 = 8080;
/// The port of the explorer of the newer emulator.
const EXPLORER_PORT: u16 = 1234;
/// The data folder of the newer emulator's image.
const IMAGE_FOLDER: &str = "/data";

/// Serve as a drop-in for Microsoft's emulators: their ports, variables and arguments
///
/// Everything that `serve` accepts, and the arguments of the vNext image (`--protocol https`) and of the Windows
/// program (`/Port=8082`). The API is at port 8081, health probes at 8080 (/alive, /ready, /status), the explorer at
/// 1234. Data are kept in memory unless a folder is given.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere emulator                                  http://localhost:8081/
  planisphere emulator --protocol https                 for .NET and Java
  planisphere emulator /Port=8082 /EnableRateLimiting   as the Windows program
  PROTOCOL=https DATA_PATH=/srv/db planisphere emulator
Unknown variables and arguments are reported and ignored. All of them: docs/guide/emulator.md")]
pub(crate) struct EmulatorCommand {
    #[command(flatten)]
    serve: ServeCommand,

    /// http, https or https-insecure (PROTOCOL)
    #[arg(long, value_name = "WORD")]
    protocol: Option<String>,

    /// Protocol of the explorer's port; by default that of the API (EXPLORER_PROTOCOL)
    #[arg(long, value_name = "WORD")]
    explorer_protocol: Option<String>,

    /// Whether to serve the explorer (ENABLE_EXPLORER)
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    enable_explorer: Option<String>,

    /// Folder of the data (DATA_PATH)
    #[arg(long, value_name = "DIR")]
    data_path: Option<String>,

    /// PEM or PFX file with a certificate and its private key (CERT_PATH); the password of a PFX file is CERT_SECRET
    #[arg(long, value_name = "FILE")]
    cert_path: Option<String>,

    /// quiet, error, warn, info, debug or trace (LOG_LEVEL)
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,

    /// Accepted and ignored: nothing is sent to anybody (ENABLE_TELEMETRY)
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    enable_telemetry: Option<String>,

    /// Arguments of the Windows emulator, such as /Port=8082
    #[arg(value_name = "/ARGUMENT")]
    arguments: Vec<String>,
}

impl EmulatorCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let variables = self.variables();
        if let Some(word) = &variables.refused {
            let reason = "this program only serves, in the foreground";
            return Err(CommandError::new(format!("reading {word}"), reason).hint(
                "End it with ctrl-c or SIGTERM, ask /ready at the health port, and see --help",
            ));
        }
        self.serve.run_as_emulator(variables)
    }

    /// The variables of the environment, then the arguments, then the flags: a later one wins.
    fn variables(&self) -> EmulatorVariables {
        let flags = [
            ("PROTOCOL", &self.protocol),
            ("EXPLORER_PROTOCOL", &self.explorer_protocol),
            ("ENABLE_EXPLORER", &self.enable_explorer),
            ("DATA_PATH", &self.data_path),
            ("CERT_PATH", &self.cert_path),
            ("LOG_LEVEL", &self.log_level),
            ("ENABLE_TELEMETRY", &self.enable_telemetry),
        ];
        let flags = flags.into_iter().filter_map(|(name, value)| {
            value.as_ref().map(|value| (name.to_owned(), value.clone()))
        });
        let mut variables = EmulatorVariables::read(VariableScope::Emulator, std::env::vars());
        self.arguments.iter().for_each(|word| variables.read_argument(word));
        variables.add(VariableScope::Emulator, flags);
        variables.health_port.get_or_insert(HEALTH_PORT);
        if variables.explorer != Some(false) {
            variables.explorer_port.get_or_insert(EXPLORER_PORT);
        }
        if variables.persistence == Some(true) && variables.data.is_none() {
            let folder = PathBuf::from(IMAGE_FOLDER);
            variables.data = Some(folder).filter(|folder| folder.is_dir());
        }
        // In memory unless something asks for a folder.
        if variables.data.is_none() {
            variables.persistence.get_or_insert(false);
        }
        variables
    }
}
