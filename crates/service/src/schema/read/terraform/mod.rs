//! Terraform files: databases and containers of the provider `azurerm`.
//!
//! `module` takes the files apart, `scope` gives expressions their values, `resource` and `arguments` turn blocks into
//! members of the wire form. What is not ours is listed; what is ours and not understood is a mistake with its line.

mod arguments;
mod function;
mod given;
mod module;
mod resource;
mod scope;

pub(super) use resource::{read_files, read_folder};
