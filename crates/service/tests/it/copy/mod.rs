//! Copies of containers: whole, interrupted, throttled, refused, verified, with deletions.

mod deletions;
mod ground;
mod interrupted;
mod paced;
mod refusal;
mod verified;
mod whole;
