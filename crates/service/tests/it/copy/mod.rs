//! Copies of containers: whole, interrupted, throttled, refused, verified.

mod ground;
mod interrupted;
mod paced;
mod refusal;
mod verified;
mod whole;
