//! The environment variables of the two emulators of the service, so that scripts written for them work.
//!
//! Owns what each variable means here. A flag on the command line is stronger. Variables of the emulators that mean
//! nothing here are accepted; names of their family that nobody knows are told.

use std::path::PathBuf;

/// The family of the older emulator.
const FAMILY: &str = "AZURE_COSMOS_EMULATOR_";
/// Known in the older family, without a meaning here: there is no limit of partitions, and clients are told the address
/// they asked.
const IDLE: [&str; 2] = ["PARTITION_COUNT", "IP_ADDRESS_OVERRIDE"];

/// What the environment asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Wishes {
    pub(crate) port: Option<u16>,
    pub(crate) tls: Option<bool>,
    pub(crate) public_endpoint: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) key_file: Option<PathBuf>,
    pub(crate) data: Option<PathBuf>,
    pub(crate) memory: bool,
    /// A file with a certificate and its key.
    pub(crate) certificate: Option<PathBuf>,
    pub(crate) explorer: Option<bool>,
    pub(crate) warnings: Vec<String>,
}

impl Wishes {
    /// Reads variables by name and value.
    pub(crate) fn of(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut wishes = Self::default();
        for (name, value) in variables {
            match name.strip_prefix(FAMILY) {
                Some(rest) => wishes.older(rest, value),
                None => wishes.newer(&name, value),
            }
        }
        wishes
    }

    fn older(&mut self, name: &str, value: String) {
        match name {
            "KEY" => self.key = Some(value),
            "ENABLE_DATA_PERSISTENCE" => self.memory = !is_yes(&value),
            "CERTIFICATE" => self.certificate = Some(PathBuf::from(value)),
            "ARGS" => value.split_ascii_whitespace().for_each(|word| self.argument(word)),
            "ENABLE_MONGODB_ENDPOINT" if is_yes(&value) => {
                self.warnings.push("there is no MongoDB endpoint here".to_owned());
            }
            "ENABLE_MONGODB_ENDPOINT" => {}
            known if IDLE.contains(&known) => {}
            unknown => self.warnings.push(format!("{FAMILY}{unknown} is not known and is ignored")),
        }
    }

    fn newer(&mut self, name: &str, value: String) {
        match name {
            "PORT" => match value.parse() {
                Ok(port) => self.port = Some(port),
                Err(_) => self.warnings.push(format!("PORT is '{value}', which is no port")),
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
                self.warnings
                    .push("CERT_SECRET is ignored: give a key without a secret".to_owned());
            }
            "ENABLE_EXPLORER" => self.explorer = Some(is_yes(&value)),
            "ENABLE_OTLP_EXPORTER" if is_yes(&value) => {
                let instead = "ENABLE_OTLP_EXPORTER is ignored: metrics are at /metrics";
                self.warnings.push(instead.to_owned());
            }
            _ => {}
        }
    }

    /// One word of the command line of the older emulator, such as `/Port=8082`.
    fn argument(&mut self, word: &str) {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let value = value.trim_matches('"').to_owned();
        match name.trim_start_matches(['/', '-']).to_ascii_lowercase().as_str() {
            "port" => self.newer("PORT", value),
            "key" => self.key = Some(value),
            "keyfile" => self.key_file = Some(PathBuf::from(value)),
            "datapath" => self.data = Some(PathBuf::from(value)),
            "noexplorer" | "noui" => self.explorer = Some(false),
            "partitioncount" | "defaultpartitioncount" | "nofirewall" | "disableratelimiting" => {}
            _ => self.warnings.push(format!("{word} in {FAMILY}ARGS is not known and is ignored")),
        }
    }
}

fn is_yes(value: &str) -> bool {
    ["true", "1", "yes"].iter().any(|yes| value.eq_ignore_ascii_case(yes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Wishes {
        Wishes::of(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn both_families_are_understood() {
        let wishes = of(&[
            ("PORT", "9000"),
            ("PROTOCOL", "https"),
            ("DATA_PATH", "somewhere"),
            ("AZURE_COSMOS_EMULATOR_KEY", "aaaa"),
            ("AZURE_COSMOS_EMULATOR_ENABLE_DATA_PERSISTENCE", "false"),
            ("AZURE_COSMOS_EMULATOR_PARTITION_COUNT", "3"),
            ("HOME", "elsewhere"),
        ]);
        assert_eq!((wishes.port, wishes.tls, wishes.memory), (Some(9000), Some(true), true));
        assert_eq!(wishes.data, Some(PathBuf::from("somewhere")));
        assert_eq!(wishes.key.as_deref(), Some("aaaa"));
        assert!(wishes.warnings.is_empty(), "{wishes:?}");
    }

    #[test]
    fn a_certificate_and_the_page_can_be_chosen() {
        let wishes = of(&[("CERT_PATH", "cert.pem"), ("ENABLE_EXPLORER", "false")]);
        assert_eq!(wishes.certificate, Some(PathBuf::from("cert.pem")));
        assert_eq!((wishes.explorer, wishes.warnings.len()), (Some(false), 0));
        let older = of(&[("AZURE_COSMOS_EMULATOR_CERTIFICATE", "other.pem")]);
        assert_eq!(older.certificate, Some(PathBuf::from("other.pem")));
        assert_eq!(of(&[("CERT_SECRET", "x"), ("ENABLE_OTLP_EXPORTER", "true")]).warnings.len(), 2);
    }

    #[test]
    fn the_command_line_of_the_older_emulator_is_understood() {
        let words = "/Port=8082 /Key=aaaa /DataPath=somewhere /NoExplorer /PartitionCount=3 /Fly";
        let wishes = of(&[("AZURE_COSMOS_EMULATOR_ARGS", words)]);
        assert_eq!((wishes.port, wishes.key.as_deref()), (Some(8082), Some("aaaa")));
        assert_eq!((wishes.data, wishes.explorer), (Some(PathBuf::from("somewhere")), Some(false)));
        assert_eq!(wishes.warnings.len(), 1, "{:?}", wishes.warnings);
        assert!(wishes.warnings[0].contains("/Fly"));
    }

    #[test]
    fn what_is_not_understood_is_told() {
        let wishes = of(&[("PORT", "x"), ("PROTOCOL", "ftp"), ("AZURE_COSMOS_EMULATOR_NEW", "1")]);
        assert_eq!(wishes.warnings.len(), 3, "{wishes:?}");
        assert_eq!(wishes.port, None);
    }
}
