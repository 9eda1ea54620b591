//! Environment variables of the two official emulators, so that scripts written for them work.
//!
//! Flags take precedence. Emulator variables without a meaning here are accepted; unknown ones cause a warning.

use std::path::PathBuf;

/// Prefix of the older emulator's variables.
const PREFIX: &str = "AZURE_COSMOS_EMULATOR_";
/// Variables of the older emulator without a meaning here: the number of partitions is not limited, and clients are
/// given the address that they used.
const IGNORED: [&str; 2] = ["PARTITION_COUNT", "IP_ADDRESS_OVERRIDE"];

/// What the environment variables ask for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EmulatorVariables {
    pub(crate) port: Option<u16>,
    pub(crate) tls: Option<bool>,
    pub(crate) public_endpoint: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) key_file: Option<PathBuf>,
    pub(crate) data: Option<PathBuf>,
    pub(crate) memory: bool,
    /// A file with a certificate and its private key.
    pub(crate) certificate: Option<PathBuf>,
    pub(crate) explorer: Option<bool>,
    pub(crate) warnings: Vec<String>,
}

impl EmulatorVariables {
    /// Reads variables by name and value.
    pub(crate) fn read(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut read = Self::default();
        for (name, value) in variables {
            match name.strip_prefix(PREFIX) {
                Some(rest) => read.read_older(rest, value),
                None => read.read_newer(&name, value),
            }
        }
        read
    }

    fn read_older(&mut self, name: &str, value: String) {
        match name {
            "KEY" => self.key = Some(value),
            "ENABLE_DATA_PERSISTENCE" => self.memory = !is_yes(&value),
            "CERTIFICATE" => self.certificate = Some(PathBuf::from(value)),
            "ARGS" => value.split_ascii_whitespace().for_each(|word| self.read_argument(word)),
            "ENABLE_MONGODB_ENDPOINT" if is_yes(&value) => {
                self.warnings.push("there is no MongoDB endpoint here".to_owned());
            }
            "ENABLE_MONGODB_ENDPOINT" => {}
            known if IGNORED.contains(&known) => {}
            unknown => self.warnings.push(format!("{PREFIX}{unknown} is unknown and ignored")),
        }
    }

    fn read_newer(&mut self, name: &str, value: String) {
        match name {
            "PORT" => match value.parse() {
                Ok(port) => self.port = Some(port),
                Err(_) => self.warnings.push(format!("PORT is '{value}', which is not a port")),
            },
            "PROTOCOL" => match value.as_str() {
                "http" => self.tls = Some(false),
                "https" | "https-insecure" => self.tls = Some(true),
                _ => self.warnings.push(format!("PROTOCOL is '{value}'; use http or https")),
            },
            "GATEWAY_PUBLIC_ENDPOINT" => self.public_endpoint = Some(value),
            "KEY_FILE" => self.key_file = Some(PathBuf::from(value)),
            "DATA_PATH" => self.data = Some(PathBuf::from(value)),
            "CERT_PATH" => self.certificate = Some(PathBuf::from(value)),
            "CERT_SECRET" => {
                self.warnings.push(
                    "CERT_SECRET is ignored: give a private key without a password".to_owned(),
                );
            }
            "ENABLE_EXPLORER" => self.explorer = Some(is_yes(&value)),
            "ENABLE_OTLP_EXPORTER" if is_yes(&value) => {
                let instead = "ENABLE_OTLP_EXPORTER is ignored: metrics are at /metrics";
                self.warnings.push(instead.to_owned());
            }
            _ => {}
        }
    }

    /// An argument of the older emulator, such as `/Port=8082`.
    fn read_argument(&mut self, word: &str) {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let value = value.trim_matches('"').to_owned();
        match name.trim_start_matches(['/', '-']).to_ascii_lowercase().as_str() {
            "port" => self.read_newer("PORT", value),
            "key" => self.key = Some(value),
            "keyfile" => self.key_file = Some(PathBuf::from(value)),
            "datapath" => self.data = Some(PathBuf::from(value)),
            "noexplorer" | "noui" => self.explorer = Some(false),
            "partitioncount" | "defaultpartitioncount" | "nofirewall" | "disableratelimiting" => {}
            _ => self.warnings.push(format!("{word} in {PREFIX}ARGS is unknown and ignored")),
        }
    }
}

fn is_yes(value: &str) -> bool {
    ["true", "1", "yes"].iter().any(|yes| value.eq_ignore_ascii_case(yes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> EmulatorVariables {
        EmulatorVariables::read(
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
            ("HOME", "elsewhere"),
        ]);
        assert_eq!(
            (variables.port, variables.tls, variables.memory),
            (Some(9000), Some(true), true)
        );
        assert_eq!(variables.data, Some(PathBuf::from("somewhere")));
        assert_eq!(variables.key.as_deref(), Some("aaaa"));
        assert!(variables.warnings.is_empty(), "{variables:?}");
    }

    #[test]
    fn a_certificate_and_the_page_can_be_chosen() {
        let variables = read(&[("CERT_PATH", "cert.pem"), ("ENABLE_EXPLORER", "false")]);
        assert_eq!(variables.certificate, Some(PathBuf::from("cert.pem")));
        assert_eq!((variables.explorer, variables.warnings.len()), (Some(false), 0));
        let older = read(&[("AZURE_COSMOS_EMULATOR_CERTIFICATE", "other.pem")]);
        assert_eq!(older.certificate, Some(PathBuf::from("other.pem")));
        assert_eq!(
            read(&[("CERT_SECRET", "x"), ("ENABLE_OTLP_EXPORTER", "true")]).warnings.len(),
            2
        );
    }

    #[test]
    fn the_command_line_of_the_older_emulator_is_understood() {
        let words = "/Port=8082 /Key=aaaa /DataPath=somewhere /NoExplorer /PartitionCount=3 /Fly";
        let variables = read(&[("AZURE_COSMOS_EMULATOR_ARGS", words)]);
        assert_eq!((variables.port, variables.key.as_deref()), (Some(8082), Some("aaaa")));
        assert_eq!(
            (variables.data, variables.explorer),
            (Some(PathBuf::from("somewhere")), Some(false))
        );
        assert_eq!(variables.warnings.len(), 1, "{:?}", variables.warnings);
        assert!(variables.warnings[0].contains("/Fly"));
    }

    #[test]
    fn unknown_values_cause_warnings() {
        let variables =
            read(&[("PORT", "x"), ("PROTOCOL", "ftp"), ("AZURE_COSMOS_EMULATOR_NEW", "1")]);
        assert_eq!(variables.warnings.len(), 3, "{variables:?}");
        assert_eq!(variables.port, None);
    }
}
