//! The platforms that secrets come from and go to, over their own protocols.

mod key_vault;
mod logins;
mod script;
mod server;
mod targets;
mod vault;

pub(crate) use script::Script;
