//! Terraform files: databases and containers of the provider `azurerm`.
//!
//! `module` sorts the blocks of the files, `scope` evaluates expressions, `called` goes into modules, `repeat` and
//! `instance` repeat blocks, `resource` and `arguments` translate blocks into members of the wire format. Resources of
//! other kinds are listed; databases and containers that are not understood are errors.

mod arguments;
mod called;
mod function;
mod instance;
mod module;
mod repeat;
mod resource;
mod scope;
mod script;
mod variables;

pub(super) use resource::{read_files, read_folder};
