//! Environment variables of the two official emulators, so that scripts written for them work.
//!
//! Flags take precedence. Emulator variables without a meaning here are accepted; unknown ones cause a warning. The
//! table of all of them is in `docs/guide/emulator.md`.

use std::path::PathBuf;

use model::ConsistencyLevel;

/// Prefix of the older emulator's variables.
const PREFIX: &str = "AZURE_COSMOS_EMULATOR_";
/// Variables of the older emulator without a meaning here: the number of partitions is not limited, and clients are
/// given the address that they used.
const IGNORED_OLDER: [&str; 2] = ["PARTITION_COUNT", "IP_ADDRESS_OVERRIDE"];
/// Variables of the newer emulator without a meaning here: nothing is sent to anybody, and pages have no buffer.
const IGNORED_NEWER: [&str; 2] = ["ENABLE_TELEMETRY", "QUERY_BUFFER_SIZE_KB"];
/// Beginnings of the newer emulator's names by which a misspelt one is recognized.
const NEWER_PREFIXES: [&str; 5] =
    ["EXPLORER_", "GATEWAY_PUBLIC_", "CERT_", "ENABLE_EXPLORER", "ENABLE_OTLP"];

/// Who reads the variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariableScope {
    /// `serve`: general names such as `LOG_LEVEL` mean other programs too and are left alone.
    Serve,
    /// `emulator`: everything.
    Emulator,
}

/// What the environment variables ask for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EmulatorVariables {
    pub(crate) port: Option<u16>,
    pub(crate) tls: Option<bool>,
    pub(crate) public_endpoint: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) key_file: Option<PathBuf>,
    pub(crate) data: Option<PathBuf>,
    /// Whether data are kept; absent if no variable says it.
    pub(crate) persistence: Option<bool>,
    /// A file with a certificate and its private key.
    pub(crate) certificate: Option<PathBuf>,
    /// The password of that file.
    pub(crate) certificate_secret: Option<String>,
    pub(crate) explorer: Option<bool>,
    pub(crate) explorer_port: Option<u16>,
    pub(crate) explorer_tls: Option<bool>,
    pub(crate) health_port: Option<u16>,
    /// A second port of the API.
    pub(crate) compute_port: Option<u16>,
    /// The words of `--log`.
    pub(crate) log: Option<&'static str>,
    pub(crate) enforce_throughput: Option<bool>,
    pub(crate) consistency: Option<ConsistencyLevel>,
    /// Whether other machines may connect.
    pub(crate) allow_network: bool,
    pub(crate) warnings: Vec<String>,
    /// An argument that asks for something else than a running server.
    pub(crate) refused: Option<String>,
}

impl EmulatorVariables {
    /// Reads variables by name and value. A later one replaces an earlier one.
    pub(crate) fn read(
        scope: VariableScope,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let mut read = Self::default();
        read.add(scope, variables);
        read
    }

    /// Adds variables to those that were read.
    pub(crate) fn add(
        &mut self,
        scope: VariableScope,
        variables: impl IntoIterator<Item = (String, String)>,
    ) {
        for (name, value) in variables {
            match name.strip_prefix(PREFIX) {
                Some(rest) => self.read_older(rest, value),
                None => self.read_newer(scope, &name, value),
            }
        }
    }

    fn read_older(&mut self, name: &str, value: String) {
        match name {
            "KEY" => self.key = Some(value),
            "ENABLE_DATA_PERSISTENCE" => self.persistence = Some(is_yes(&value)),
            "CERTIFICATE" => self.certificate = Some(PathBuf::from(value)),
            "ARGS" => value.split_ascii_whitespace().for_each(|word| self.read_argument(word)),
            "ENABLE_MONGODB_ENDPOINT" if is_yes(&value) => {
                self.warn("there is no MongoDB endpoint here");
            }
            "ENABLE_MONGODB_ENDPOINT" => {}
            known if IGNORED_OLDER.contains(&known) => {}
            unknown => self.warn(&format!("{PREFIX}{unknown} is unknown and ignored")),
        }
    }

    fn read_newer(&mut self, scope: VariableScope, name: &str, value: String) {
        match name {
            "PORT" => self.port = self.parse_port(name, &value),
            "PROTOCOL" => self.tls = self.parse_protocol(name, &value),
            "GATEWAY_PUBLIC_ENDPOINT" => self.public_endpoint = Some(value),
            "KEY_FILE" => self.key_file = Some(PathBuf::from(value)),
            "DATA_PATH" => self.data = Some(PathBuf::from(value)),
            "CERT_PATH" => self.certificate = Some(PathBuf::from(value)),
            "CERT_SECRET" => self.certificate_secret = Some(value),
            "ENABLE_EXPLORER" => self.explorer = Some(is_yes(&value)),
            "ENABLE_OTLP_EXPORTER" | "ENABLE_CONSOLE_EXPORTER" if is_yes(&value) => {
                self.warn(&format!("{name} is ignored: metrics are at /metrics"));
            }
            _ if scope == VariableScope::Serve => {}
            "EXPLORER_PORT" => self.explorer_port = self.parse_port(name, &value),
            "EXPLORER_PROTOCOL" => self.explorer_tls = self.parse_protocol(name, &value),
            "LOG_LEVEL" => self.log = self.parse_log_level(&value).or(self.log),
            "VERBOSE" if is_yes(&value) => self.log = Some("debug"),
            "VERBOSE" | "ENABLE_OTLP_EXPORTER" | "ENABLE_CONSOLE_EXPORTER" => {}
            known if IGNORED_NEWER.contains(&known) => {}
            name if NEWER_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) => {
                self.warn(&format!("{name} is unknown and ignored"));
            }
            _ => {}
        }
    }

    pub(super) fn warn(&mut self, warning: &str) {
        self.warnings.push(warning.to_owned());
    }

    pub(super) fn parse_port(&mut self, name: &str, value: &str) -> Option<u16> {
        let port = value.parse().ok();
        if port.is_none() {
            self.warn(&format!("{name} is '{value}', which is not a port"));
        }
        port
    }

    fn parse_protocol(&mut self, name: &str, value: &str) -> Option<bool> {
        match value {
            "http" => Some(false),
            "https" | "https-insecure" => Some(true),
            _ => {
                self.warn(&format!("{name} is '{value}'; use http or https"));
                None
            }
        }
    }

    /// The levels of the newer emulator. Up to `info` it is silent about requests, and so are we.
    fn parse_log_level(&mut self, value: &str) -> Option<&'static str> {
        match value.to_ascii_lowercase().as_str() {
            "quiet" | "error" | "warn" => Some("quiet"),
            "info" => Some("info"),
            "debug" | "trace" => Some("debug"),
            _ => {
                self.warn(&format!(
                    "LOG_LEVEL is '{value}'; use quiet, error, warn, info, debug or trace"
                ));
                None
            }
        }
    }
}

pub(super) fn is_yes(value: &str) -> bool {
    ["true", "1", "yes"].iter().any(|yes| value.eq_ignore_ascii_case(yes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> EmulatorVariables {
        EmulatorVariables::read(
            VariableScope::Emulator,
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        )
    }

    #[test]
    fn both_families_are_understood() {
        let variables = read(&[
            ("PORT", "9000"),
            ("PROTOCOL", "https"),
            ("DATA_PATH", "somewhere"),
            ("AZURE_COSMOS_EMULATOR_KEY", "aaaa"),
            ("AZURE_COSMOS_EMULATOR_ENABLE_DATA_PERSISTENCE", "false"),
            ("AZURE_COSMOS_EMULATOR_PARTITION_COUNT", "3"),
            ("EXPLORER_PORT", "1235"),
            ("EXPLORER_PROTOCOL", "http"),
            ("LOG_LEVEL", "debug"),
            ("ENABLE_TELEMETRY", "false"),
            ("QUERY_BUFFER_SIZE_KB", "64"),
            ("HOME", "elsewhere"),
        ]);
        assert_eq!(
            (variables.port, variables.tls, variables.persistence),
            (Some(9000), Some(true), Some(false))
        );
        assert_eq!(variables.data, Some(PathBuf::from("somewhere")));
        assert_eq!(variables.key.as_deref(), Some("aaaa"));
        assert_eq!((variables.explorer_port, variables.explorer_tls), (Some(1235), Some(false)));
        assert_eq!(variables.log, Some("debug"));
        assert!(variables.warnings.is_empty(), "{variables:?}");
    }

    #[test]
    fn a_certificate_and_the_page_can_be_chosen() {
        let variables = read(&[("CERT_PATH", "cert.pem"), ("ENABLE_EXPLORER", "false")]);
        assert_eq!(variables.certificate, Some(PathBuf::from("cert.pem")));
        assert_eq!((variables.explorer, variables.warnings.len()), (Some(false), 0));
        let older = read(&[("AZURE_COSMOS_EMULATOR_CERTIFICATE", "other.pem")]);
        assert_eq!(older.certificate, Some(PathBuf::from("other.pem")));
        let secret = read(&[("CERT_SECRET", "x"), ("ENABLE_OTLP_EXPORTER", "true")]);
        assert_eq!(secret.certificate_secret.as_deref(), Some("x"));
        assert_eq!(secret.warnings.len(), 1, "nothing is exported");
    }

    #[test]
    fn serve_leaves_general_names_to_other_programs() {
        let variables = [("LOG_LEVEL", "x"), ("VERBOSE", "true"), ("EXPLORER_PORT", "1")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let read = EmulatorVariables::read(VariableScope::Serve, variables);
        assert_eq!(read, EmulatorVariables::default());
    }

    #[test]
    fn unknown_names_and_values_cause_warnings() {
        let variables = read(&[
            ("PORT", "x"),
            ("PROTOCOL", "ftp"),
            ("AZURE_COSMOS_EMULATOR_NEW", "1"),
            ("EXPLORER_COLOR", "red"),
            ("LOG_LEVEL", "loud"),
        ]);
        assert_eq!(variables.warnings.len(), 5, "{variables:?}");
        assert_eq!(variables.port, None);
    }
}
