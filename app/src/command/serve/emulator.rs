//! The environment variables of the two emulators of the service, so that scripts written for them work.
//!
//! Owns what each variable means here. A flag on the command line is stronger. Variables of the emulators that mean
//! nothing here are accepted; names of their family that nobody knows are told.

use std::path::PathBuf;

/// The family of the older emulator.
const FAMILY: &str = "AZURE_COSMOS_EMULATOR_";
/// Known in the older family, without a meaning here.
const IDLE: [&str; 4] =
    ["PARTITION_COUNT", "ARGS", "ENABLE_MONGODB_ENDPOINT", "IP_ADDRESS_OVERRIDE"];

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
            "CERTIFICATE" => self.ignored(name, "give --cert and --cert-key"),
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
            "CERT_PATH" | "CERT_SECRET" => self.ignored(name, "give --cert and --cert-key"),
            _ => {}
        }
    }

    fn ignored(&mut self, name: &str, instead: &str) {
        self.warnings.push(format!("{name} is ignored: {instead}"));
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
    fn what_is_not_understood_is_told() {
        let wishes = of(&[("PORT", "x"), ("PROTOCOL", "ftp"), ("AZURE_COSMOS_EMULATOR_NEW", "1")]);
        assert_eq!(wishes.warnings.len(), 3, "{wishes:?}");
        assert_eq!(wishes.port, None);
    }
}
