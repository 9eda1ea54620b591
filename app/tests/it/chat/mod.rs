//! `planisphere chat`: the service and the operator's commands.

mod commands;
mod serve;
