//! Azure Resource Manager templates, written by hand or compiled from Bicep.
//!
//! `template` finds the databases and containers, also in loops and linked templates, `resource` reads them,
//! `syntax`, `expression` and `function` evaluate values, `json_locations` maps them to lines. Resources of other kinds
//! are listed; databases and containers that are not understood are errors.

mod expression;
mod function;
mod json_locations;
mod reader;
mod resource;
mod script;
mod syntax;
mod template;

pub(super) use template::read;
