//! Throughput: how it is given, and that it is enforced when somebody asks for it.

mod enforced;
mod minimum;
mod provisioned;
