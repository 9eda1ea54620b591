//! Azure Resource Manager templates, written by hand or compiled from Bicep.
//!
//! `template` finds the databases and containers, `resource` reads them, `expression` evaluates names, `json_locations`
//! maps values to lines. Resources of other kinds are listed; databases and containers that are not understood are
//! errors.

mod expression;
mod json_locations;
mod reader;
mod resource;
mod template;

pub(super) use template::read;
