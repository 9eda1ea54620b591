//! Hubs: methods and callbacks of an application, and its handles to clients.
//!
//! Does not own connections nor bytes; see `connection`, `message` and `transport`.

mod builder;
mod caller;
mod cancellation;
mod context;
mod core;
mod method;
mod parameter;
mod served;

pub use builder::HubBuilder;
pub use caller::HubCaller;
pub use cancellation::Cancellation;
pub use context::{Clients, HubContext};
pub(crate) use core::HubCore;
pub(crate) use method::HubMethod;
pub use method::MethodFunction;
pub use parameter::HubParameter;
pub use served::Hub;
