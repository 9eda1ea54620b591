//! Erasure and export of a subject: all that a system keeps about one person, found in every registered container.
//!
//! ```text
//! erase:   for each container: count ─► write what was found ─► delete ─► write that it is erased
//!          count all again ─► all zero: the certificate; otherwise once more
//! export:  for each container: page ─► redact ─► lines of JSON
//! ```
//!
//! Owns the steps, their progress and the certificate. Does not own which containers there are: the system registers
//! each of them, with the way its items are found. Every step is written before the next begins, so an erasure that was
//! cut off goes on where it was. Progress and certificate name the subject by a keyed hash only.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use client::{Account, StorageLocation, PartitionKeyDefinition, Query};
//! use serde_json::json;
//! use planisphere_service::erasure::{Erasure, Registration, keep_last_characters};
//!
//! let account = Account::embedded(StorageLocation::Memory).await?;
//! let database = account.database("asora")?;
//! database.create_if_missing(None).await?;
//! let make = async |name: &str, path: &str| {
//!     let container = database.container(name)?;
//!     let key = PartitionKeyDefinition::single(path)?;
//!     container.create_if_missing(container.properties(key), None).await?;
//!     Ok::<_, client::Error>(container)
//! };
//! let (devices, owners) = (make("devices", "/userId").await?, make("owners", "/id").await?);
//! let records = make("records", "/id").await?;
//! devices.create(&"bob".into(), &json!({"id": "d", "userId": "bob", "pushToken": "0123456789"})).await?;
//! owners.create(&"h1".into(), &json!({"id": "h1", "userId": "bob"})).await?;
//!
//! let erasure = Erasure::new(&records, b"a secret of this system")
//!     .with(Registration::by_partition_key("devices", &devices)
//!         .redacted(|item| keep_last_characters(item, "pushToken", 4)))
//!     .with(Registration::by_query("owners", &owners, |subject| {
//!         Query::text("SELECT * FROM c WHERE c.userId = @subject")
//!             .parameter("@subject", subject)
//!             .fan_out("owners are kept by token, not by user")
//!     }));
//!
//! let mut export = erasure.export("bob");
//! let lines = export.next().await?.unwrap();
//! let item = r#"{"id":"d","pushToken":"…6789","userId":"bob"}"#;
//! assert_eq!(lines, format!("{{\"container\":\"devices\",\"item\":{item}}}\n"));
//!
//! let certificate = erasure.erase("bob").await?;
//! assert_eq!(certificate.containers.iter().map(|erased| erased.found).sum::<u64>(), 2);
//! assert_eq!(erasure.erase("bob").await?, certificate);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

mod certificate;
mod erase;
mod error;
mod export;
mod registration;

pub use certificate::{Certificate, ErasedContainer};
pub use erase::Erasure;
pub use error::ErasureError;
pub use export::{Export, keep_last_characters};
pub use registration::Registration;
