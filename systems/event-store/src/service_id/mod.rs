//! The tenant of a call: a validated id, and the four providers that say whose call it is.

mod id;
mod providers;

pub use id::{DEFAULT_SERVICE_ID, ServiceId, ServiceIdError};
pub use providers::{
    DEFAULT_CLAIM, DefaultServiceIdProvider, FixedServiceIdProvider, JwtServiceIdProvider,
    RequestClaims, RequiredServiceIdProvider, ServiceIdProvider,
};
