//! The routes of operators: tenants, looking into one, conflicts, migrations. They need a role that no tenant has, and
//! are the only ones that take the tenant from the request instead of the token.

mod conflicts;
mod migrations;
mod services;
mod tenant;

pub(super) use conflicts::*;
pub(super) use migrations::*;
pub(super) use services::*;
pub(super) use tenant::*;
