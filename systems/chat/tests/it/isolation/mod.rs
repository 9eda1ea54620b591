//! CH-086, CH-A8: what is of others stays of others, by HTTP and over the hub, and floods concern who makes them.

mod floods;
mod methods;
mod routes;
