//! The address of a store: a PostgreSQL URL with parameters of ours.
//!
//! Owns the parameters that PostgreSQL's own addresses do not have: `schema`, `sslrootcert`, `citus` and `lease_ms`.
//! Everything else is parsed by the driver. Does not own connecting.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use storage::{Error, ErrorKind, Result};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, TargetSessionAttrs};

use crate::settings::{Distribution, PostgresSettings};

/// The schema without the parameter.
const SCHEMA: &str = "planisphere";
/// PostgreSQL cuts longer names.
const SCHEMA_BYTES_MAX: usize = 63;
const APPLICATION: &str = "planisphere";

/// The database of a store. It may contain a password, which is never printed.
#[derive(Clone)]
pub struct PostgresLocation {
    pub(crate) config: Config,
    pub(crate) schema: String,
    pub(crate) root_certificates: Option<PathBuf>,
    distribution: Distribution,
    lease: Option<Duration>,
}

impl PostgresLocation {
    /// Whether a text is an address of this kind.
    #[must_use]
    pub fn matches(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    /// Parses `postgres://user:password@host:port/database?schema=planisphere`.
    ///
    /// # Errors
    /// [`ErrorKind::CannotOpen`] for an address that the driver refuses, or a wrong parameter.
    pub fn parse(url: &str) -> Result<Self> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let mut schema = SCHEMA.to_owned();
        let mut root_certificates = None;
        let mut distribution = Distribution::OneServer;
        let mut lease = None;
        let mut rest = Vec::new();
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let decoded = || percent_encoding::percent_decode_str(value).decode_utf8_lossy();
            match name {
                "schema" => schema = valid_schema(&decoded())?,
                "sslrootcert" => root_certificates = Some(PathBuf::from(decoded().as_ref())),
                "citus" => distribution = parse_citus(value)?,
                "lease_ms" => lease = Some(parse_lease(value)?),
                // The driver verifies certificates and names whenever it uses TLS.
                "sslmode" if matches!(value, "verify-ca" | "verify-full") => {
                    rest.push("sslmode=require".to_owned());
                }
                _ => rest.push(parameter.to_owned()),
            }
        }
        let plain =
            if rest.is_empty() { base.to_owned() } else { format!("{base}?{}", rest.join("&")) };
        // The text of the driver's error names the parameter, never the password.
        let mut config: Config = plain.parse().map_err(|error: tokio_postgres::Error| {
            refused("the address is not understood").with_source(error)
        })?;
        if config.get_hosts().is_empty() {
            return Err(refused(
                "the address has no host; its form is postgres://user@host/database",
            ));
        }
        if config.get_application_name().is_none() {
            config.application_name(APPLICATION);
        }
        // With several hosts, the one that accepts writes: the primary after a failover.
        if config.get_target_session_attrs() == TargetSessionAttrs::Any {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        Ok(Self { config, schema, root_certificates, distribution, lease })
    }

    /// The settings with what the address says about them.
    #[must_use]
    pub fn apply(&self, settings: PostgresSettings) -> PostgresSettings {
        let lease = self.lease.unwrap_or(settings.lease);
        PostgresSettings { distribution: self.distribution, lease, ..settings }
    }
}

/// Never with the password.
impl fmt::Display for PostgresLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(folder) => folder.display().to_string(),
        });
        let hosts: Vec<String> = hosts.collect();
        let database = self.config.get_dbname().or(self.config.get_user()).unwrap_or_default();
        write!(formatter, "postgres://{}/{database} (schema {})", hosts.join(","), self.schema)
    }
}

impl fmt::Debug for PostgresLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PostgresLocation({self})")
    }
}

/// Names are put into statements as they are, so they must not need quotes.
fn valid_schema(name: &str) -> Result<String> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let starts_well = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    if starts_well && name.len() <= SCHEMA_BYTES_MAX && name.bytes().all(is_plain) {
        return Ok(name.to_owned());
    }
    Err(refused(&format!(
        "the schema {name:?} is not a plain name; use lower-case letters, digits and underscores"
    )))
}

fn parse_citus(value: &str) -> Result<Distribution> {
    match value {
        "on" => Ok(Distribution::Citus),
        "off" => Ok(Distribution::OneServer),
        _ => Err(refused(&format!("the parameter citus={value} is neither on nor off"))),
    }
}

fn parse_lease(value: &str) -> Result<Duration> {
    match value.parse() {
        Ok(lease @ 500..=600_000) => Ok(Duration::from_millis(lease)),
        _ => Err(refused(&format!("the parameter lease_ms={value} is not within 500 and 600000"))),
    }
}

fn refused(reason: &str) -> Error {
    Error::new(ErrorKind::CannotOpen, format!("cannot open the PostgreSQL store: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_ours_are_taken_out_and_the_rest_is_the_drivers() {
        let url = "postgres://ann:secret@h1,h2:5433/shop?schema=s1&sslmode=verify-full&citus=on&lease_ms=700";
        let location = PostgresLocation::parse(url).unwrap();
        assert_eq!(location.schema, "s1");
        assert_eq!(location.config.get_hosts().len(), 2);
        assert_eq!(location.config.get_ssl_mode(), tokio_postgres::config::SslMode::Require);
        let settings = location.apply(PostgresSettings::default());
        assert_eq!(settings.lease, Duration::from_millis(700));
        assert_eq!(settings.distribution, Distribution::Citus);
        let printed = format!("{location} {location:?}");
        assert!(!printed.contains("secret"), "{printed}");
    }

    #[test]
    fn a_wrong_address_is_refused_with_its_reason() {
        for (url, reason) in [
            ("postgres://", "no host"),
            ("postgres://h/d?schema=a-b", "not a plain name"),
            ("postgres://h/d?schema=", "not a plain name"),
            ("postgres://h/d?citus=maybe", "neither on nor off"),
            ("postgres://h/d?lease_ms=1", "not within"),
            ("postgres://h/d?nonsense=1", "not understood"),
        ] {
            let error = PostgresLocation::parse(url).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::CannotOpen);
            assert!(error.full_message().contains(reason), "{url}: {}", error.full_message());
        }
    }
}
