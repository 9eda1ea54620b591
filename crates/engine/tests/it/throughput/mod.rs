//! Throughput: how it is provisioned, and how it is enforced on request.

mod enforced;
mod minimum;
mod provisioned;
