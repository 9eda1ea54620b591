//! Copies of containers: complete, interrupted, throttled, rejected, verified, with deletions.

mod deletions;
mod fixture;
mod interrupted;
mod paced;
mod refusal;
mod verified;
mod whole;
