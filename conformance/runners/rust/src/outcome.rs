//! What came back of a step, and why a scenario may stop.

use azure_data_cosmos::CosmosError;
use azure_data_cosmos::models::ResponseHeaders;
use serde_json::Value;

/// What came back of one step.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) status: Option<u16>,
    /// The content, if there was any.
    pub(crate) value: Option<Value>,
    pub(crate) etag: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) charge: Option<f64>,
    pub(crate) rows: Vec<Value>,
    pub(crate) pages: usize,
    /// The statuses of the parts of a batch.
    pub(crate) results: Vec<Value>,
    pub(crate) continuation: Option<String>,
    pub(crate) query_metrics: bool,
    pub(crate) index_metrics: bool,
}

impl Seen {
    /// Takes what the library shows of the headers.
    pub(crate) fn with_headers(mut self, headers: &ResponseHeaders) -> Self {
        self.etag = headers.etag().map(|etag| etag.to_string());
        self.session = headers.session_token().map(|token| token.as_str().to_owned());
        self.charge = headers.request_charge().map(|charge| charge.value());
        self
    }
}

/// Why a scenario stops before its end.
pub(crate) enum Stop {
    /// This library has no words for it.
    Unsupported(String),
    /// Something else was seen than what must be seen.
    Unseen(String),
    /// The library answered with an error.
    Failed(Box<CosmosError>),
}

impl From<CosmosError> for Stop {
    fn from(error: CosmosError) -> Self {
        Self::Failed(Box::new(error))
    }
}

impl From<serde_json::Error> for Stop {
    fn from(error: serde_json::Error) -> Self {
        Self::Unseen(format!("not to be read: {error}"))
    }
}

pub(crate) fn unsupported(reason: &str) -> Stop {
    Stop::Unsupported(reason.to_owned())
}
