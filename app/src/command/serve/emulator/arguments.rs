//! The arguments of the Windows emulator, such as `/Port=8082`.

use std::path::PathBuf;

use model::ConsistencyLevel;

use super::variables::{EmulatorVariables, is_yes};

/// Arguments without a meaning here: the number of partitions is not limited, there is no window and no firewall rule,
/// clients in direct mode are refused, and the tokens that the emulators take for those of Entra ID are always
/// accepted.
const IGNORED: [&str; 8] = [
    "partitioncount",
    "defaultpartitioncount",
    "nofirewall",
    "noui",
    "directports",
    "computeport",
    "enablepreview",
    "enableaadauthentication",
];
/// The port of the newer gateway of the Windows emulator.
const COMPUTE_PORT: u16 = 8903;
/// Beginnings of the arguments about other APIs, which do not exist here.
const OTHER_APIS: [&str; 5] = ["mongo", "cassandra", "gremlin", "table", "enablemongo"];

impl EmulatorVariables {
    /// Reads one argument. The program accepts names in any case.
    pub(crate) fn read_argument(&mut self, word: &str) {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let value = value.trim_matches('"').to_owned();
        match name.trim_start_matches(['/', '-']).to_ascii_lowercase().as_str() {
            "port" => self.port = self.parse_port("/Port", &value),
            "key" => self.key = Some(value),
            "keyfile" => self.key_file = Some(PathBuf::from(value)),
            "datapath" => self.data = Some(PathBuf::from(value)),
            "enablesqlcomputeendpoint" => {
                self.compute_port.get_or_insert(COMPUTE_PORT);
            }
            "sqlcomputeport" => self.compute_port = self.parse_port("/SqlComputePort", &value),
            "noexplorer" => self.explorer = Some(false),
            "enableratelimiting" => self.enforce_throughput = Some(true),
            "disableratelimiting" => self.enforce_throughput = Some(false),
            "allownetworkaccess" => self.allow_network = value.is_empty() || is_yes(&value),
            "consistency" => match ConsistencyLevel::parse(&value) {
                Ok(level) => self.consistency = Some(level),
                Err(invalid) => self.warn(&format!("{word} is ignored: {}", invalid.message())),
            },
            "resetdatapath" => {
                self.warn("/ResetDataPath is ignored: delete the folder, or use --memory");
            }
            known if IGNORED.contains(&known) => {}
            "shutdown" | "getstatus" | "gencert" | "genkeyfile" | "?" | "help" => {
                self.refused = Some(word.to_owned());
            }
            other if OTHER_APIS.iter().any(|api| other.starts_with(api)) => {
                self.warn(&format!("{word} is ignored: only the API for NoSQL exists here"));
            }
            _ => self.warn(&format!("{word} is unknown and ignored")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> EmulatorVariables {
        let mut read = EmulatorVariables::default();
        words.split(' ').for_each(|word| read.read_argument(word));
        read
    }

    #[test]
    fn the_command_line_of_the_older_emulator_is_understood() {
        let read = read(
            "/Port=8082 /Key=aaaa /DataPath=somewhere /NoExplorer /PartitionCount=3 /NoUI \
             /EnableRateLimiting /consistency=Strong /AllowNetworkAccess /Fly",
        );
        assert_eq!((read.port, read.key.as_deref()), (Some(8082), Some("aaaa")));
        assert_eq!((read.data, read.explorer), (Some(PathBuf::from("somewhere")), Some(false)));
        assert_eq!(read.enforce_throughput, Some(true));
        assert_eq!(read.consistency, Some(ConsistencyLevel::Strong));
        assert!(read.allow_network);
        assert_eq!(read.warnings, ["/Fly is unknown and ignored"]);
    }

    #[test]
    fn the_port_of_the_newer_gateway_is_opened_on_request() {
        assert_eq!(read("/EnableSqlComputeEndpoint").compute_port, Some(8903));
        let both = read("/SqlComputePort=9000 /EnableSqlComputeEndpoint");
        assert_eq!((both.compute_port, both.warnings), (Some(9000), Vec::new()));
        assert_eq!(read("/NoUI").compute_port, None);
    }

    #[test]
    fn a_wrong_level_and_other_apis_cause_warnings() {
        let read = read("/Consistency=Odd /EnableMongoDbEndpoint=4.0 /ResetDataPath /Port=x");
        assert_eq!(read.warnings.len(), 4, "{:?}", read.warnings);
        assert_eq!((read.consistency, read.port, read.refused), (None, None, None));
    }

    #[test]
    fn a_request_that_is_not_to_serve_is_refused() {
        assert_eq!(read("/Shutdown").refused.as_deref(), Some("/Shutdown"));
        assert_eq!(read("/GetStatus").refused.as_deref(), Some("/GetStatus"));
    }
}
