//! Throughput through the SDK.

use azure_core::http::headers::{HeaderName, HeaderValue};
use azure_data_cosmos::models::ThroughputProperties;
use engine::operation::ThroughputOwner;
use model::Throughput;

use crate::error::{Error, ErrorKind, Result};
use crate::request::{BackendResponse, ResponseBody};

use super::ConnectedBackend;
use super::error::translate;

impl ConnectedBackend {
    pub(super) async fn read_throughput(&self, owner: &ThroughputOwner) -> Result<BackendResponse> {
        let found = match owner {
            ThroughputOwner::Database(id) => {
                self.client.database_client(id.to_string()).read_throughput(None).await
            }
            ThroughputOwner::Container(link) => {
                self.container(link).await?.read_throughput(None).await
            }
        };
        let found = found.map_err(translate)?.map(|found| our_throughput(&found)).transpose()?;
        Ok(BackendResponse {
            body: ResponseBody::Throughput(found),
            ..BackendResponse::empty(&self.environment)
        })
    }

    pub(super) async fn replace_throughput(
        &self,
        owner: &ThroughputOwner,
        throughput: &Throughput,
    ) -> Result<BackendResponse> {
        // The SDK has no clear error for an owner without dedicated throughput.
        if let ResponseBody::Throughput(None) = self.read_throughput(owner).await?.body {
            return Err(Error::new(
                ErrorKind::NotFound,
                "there is no throughput to replace: this container shares the throughput of its database, or this \
                 database has none of its own",
            ));
        }
        let new = library_throughput(throughput);
        let begun = match owner {
            ThroughputOwner::Database(id) => {
                let database = self.client.database_client(id.to_string());
                database.begin_replace_throughput(new, None).await
            }
            ThroughputOwner::Container(link) => {
                self.container(link).await?.begin_replace_throughput(new, None).await
            }
        };
        // Twice awaited: the first call starts the change, the second waits until the account has applied it.
        begun.map_err(translate)?.await.map_err(translate)?;
        self.read_throughput(owner).await
    }
}

pub(super) fn library_throughput(throughput: &Throughput) -> ThroughputProperties {
    match throughput {
        Throughput::Manual(per_second) => ThroughputProperties::manual(u64::from(*per_second)),
        Throughput::Autoscale { maximum, increment_percent } => {
            ThroughputProperties::autoscale(u64::from(*maximum), *increment_percent)
        }
    }
}

/// The header that gives throughput to a new database.
pub(super) fn throughput_header(throughput: &Throughput) -> (HeaderName, HeaderValue) {
    match throughput {
        Throughput::Manual(per_second) => (
            HeaderName::from_static("x-ms-offer-throughput"),
            HeaderValue::from(per_second.to_string()),
        ),
        Throughput::Autoscale { maximum, .. } => (
            HeaderName::from_static("x-ms-cosmos-offer-autopilot-settings"),
            HeaderValue::from(format!("{{\"maxThroughput\":{maximum}}}")),
        ),
    }
}

fn our_throughput(found: &ThroughputProperties) -> Result<Throughput> {
    let number = |value: u64| {
        u32::try_from(value)
            .map_err(|_| Error::unexpected(format!("the account returned a throughput of {value}")))
    };
    match (found.autoscale_maximum(), found.throughput()) {
        (Some(maximum), _) => Ok(Throughput::Autoscale {
            maximum: number(maximum)?,
            increment_percent: found.autoscale_increment(),
        }),
        (None, Some(per_second)) => Ok(Throughput::Manual(number(per_second)?)),
        (None, None) => Err(Error::unexpected("the account did not return the throughput")),
    }
}
