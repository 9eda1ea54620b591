//! Errors of the driver and the server turned into errors of the store, with the place and what to do.
//!
//! Owns the texts, and which errors leave a commit in doubt. Does not own retries: `connections` and `commit` decide.

use deadpool_postgres::PoolError;
use storage::{Error, ErrorKind};
use tokio_postgres::error::SqlState;

use crate::location::PostgresLocation;

/// What a failed statement means for its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatementFailure {
    /// The connection is gone, or the server ends: a commit may have arrived. Another attempt may succeed.
    ConnectionLost,
    /// The server has rolled the statement back, and another attempt may succeed.
    RolledBack,
    /// The server refuses the statement, and would again.
    Refused,
}

/// The store cannot be opened in its present state.
pub(crate) fn cannot_open(location: &PostgresLocation, reason: &str) -> Error {
    Error::new(ErrorKind::CannotOpen, format!("cannot open the store at {location}: {reason}"))
}

/// A statement failed while opening.
pub(crate) fn did_not_open(location: &PostgresLocation, error: tokio_postgres::Error) -> Error {
    let user = location.config.get_user().unwrap_or("(none)");
    let database = location.config.get_dbname().unwrap_or(user);
    let state = error.code().cloned();
    let reason = match state.as_ref() {
        Some(state) if is_class(state, "28") => format!(
            "the server refuses the role {user:?}: the password is wrong, or pg_hba.conf does not admit it; \
             correct the address or the server's rules"
        ),
        Some(state) if *state == SqlState::UNDEFINED_DATABASE => {
            format!("there is no database {database:?}; create it, for example with createdb")
        }
        Some(state) if *state == SqlState::INSUFFICIENT_PRIVILEGE => format!(
            "the role {user:?} lacks a right; let an administrator run \
             GRANT CREATE ON DATABASE {database} TO {user}, and make the role the owner of the schema {}",
            location.schema
        ),
        Some(state) if is_full(state) => NO_SPACE.to_owned(),
        Some(state) if *state == SqlState::TOO_MANY_CONNECTIONS => {
            "the server has no connection left; raise max_connections, or stop clients".to_owned()
        }
        Some(state) if *state == SqlState::READ_ONLY_SQL_TRANSACTION => READ_ONLY.to_owned(),
        Some(_) => "the server reported an error".to_owned(),
        None if is_read_only(&error) => READ_ONLY.to_owned(),
        None if error.to_string().contains("TLS") => {
            let reason = "the server's certificate is not trusted, or it has none; \
                          give the one that signed it with sslrootcert=..., or the name that it is for";
            reason.to_owned()
        }
        None => {
            "the server cannot be reached; check the address, and that it is running".to_owned()
        }
    };
    cannot_open(location, &reason).with_source(error)
}

/// No connection could be had while opening.
pub(crate) fn did_not_connect(location: &PostgresLocation, error: PoolError) -> Error {
    match error {
        PoolError::Backend(error) => did_not_open(location, error),
        other => cannot_open(location, "the server does not respond in time").with_source(other),
    }
}

/// A read failed, or a commit that certainly wrote nothing.
pub(crate) fn statement_failed(location: &PostgresLocation, error: tokio_postgres::Error) -> Error {
    let (kind, reason) = match error.code() {
        None => (ErrorKind::Device, CONNECTION_LOST),
        Some(state) if is_full(state) => (ErrorKind::Device, NO_SPACE),
        Some(state) if *state == SqlState::QUERY_CANCELED => (
            ErrorKind::Device,
            "a statement took longer than the server lets it; look for locks and slow disks",
        ),
        Some(state) if *state == SqlState::READ_ONLY_SQL_TRANSACTION => {
            (ErrorKind::Device, READ_ONLY)
        }
        Some(state) if is_class(state, "XX001") || is_class(state, "XX002") => (
            ErrorKind::Corrupt,
            "the server found damaged data; restore the database from a backup",
        ),
        Some(state)
            if [
                SqlState::UNDEFINED_TABLE,
                SqlState::UNDEFINED_FUNCTION,
                SqlState::INVALID_SCHEMA_NAME,
            ]
            .contains(state) =>
        {
            (
                ErrorKind::Corrupt,
                "a table or function of the store is missing; restore the database from a backup",
            )
        }
        Some(state) if is_class(state, "22") || is_class(state, "21") || is_class(state, "54") => {
            (ErrorKind::Invalid, "the server refuses the values of a call")
        }
        Some(_) => (ErrorKind::Device, "the server reported an error"),
    };
    Error::new(kind, format!("the store at {location} failed: {reason}")).with_source(error)
}

/// Nobody knows whether a commit has arrived.
pub(crate) fn in_doubt(location: &PostgresLocation, error: tokio_postgres::Error) -> Error {
    Error::new(
        ErrorKind::Device,
        format!(
            "the connection to the store at {location} was lost during a commit, which was not acknowledged; \
             read again what it wrote"
        ),
    )
    .with_source(error)
}

/// A call could not get a connection.
pub(crate) fn no_connection(location: &PostgresLocation, error: PoolError) -> Error {
    match error {
        PoolError::Backend(error) => statement_failed(location, error),
        other => Error::new(
            ErrorKind::Device,
            format!("the store at {location} has no free connection; use fewer requests at once"),
        )
        .with_source(other),
    }
}

/// Another process uses the store, or this one was away for too long.
pub(crate) fn lease_lost(location: &PostgresLocation) -> Error {
    Error::new(
        ErrorKind::Device,
        format!(
            "this process no longer holds the lease of the store at {location}: another process has taken it, \
             or it was not renewed in time; open the store again"
        ),
    )
}

pub(crate) fn closed() -> Error {
    Error::new(ErrorKind::Closed, "the store is closed")
}

/// What may be done after a failed statement.
pub(crate) fn classify(error: &tokio_postgres::Error) -> StatementFailure {
    match error.code() {
        None => StatementFailure::ConnectionLost,
        // 57014 is a timeout of a statement; the rest of class 57 is a server that ends or begins. A server that ends
        // while it waits for its replica has committed already, so that nothing is certain then.
        Some(state) if *state == SqlState::QUERY_CANCELED => StatementFailure::Refused,
        Some(state) if is_class(state, "57") || is_class(state, "08") => {
            StatementFailure::ConnectionLost
        }
        Some(state) if is_class(state, "40") || *state == SqlState::READ_ONLY_SQL_TRANSACTION => {
            StatementFailure::RolledBack
        }
        Some(state) if *state == SqlState::TOO_MANY_CONNECTIONS => StatementFailure::RolledBack,
        Some(_) => StatementFailure::Refused,
    }
}

/// Whether connecting again may help: the server starts, restarts or is promoted.
pub(crate) fn is_transient(error: &PoolError) -> bool {
    match error {
        PoolError::Backend(error) => classify(error) != StatementFailure::Refused,
        _ => false,
    }
}

const NO_SPACE: &str =
    "the server has no space left on its disk; free some, and writes are accepted again";
const CONNECTION_LOST: &str = "the connection to the server was lost";
const READ_ONLY: &str =
    "the server accepts no writes: it is a replica; give the address of the primary, or all hosts";

fn is_class(state: &SqlState, class: &str) -> bool {
    state.code().starts_with(class)
}

fn is_full(state: &SqlState) -> bool {
    *state == SqlState::DISK_FULL || *state == SqlState::OUT_OF_MEMORY
}

/// The driver found only hosts that accept no writes.
fn is_read_only(error: &tokio_postgres::Error) -> bool {
    let source = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    source.contains("does not allow writes")
}
