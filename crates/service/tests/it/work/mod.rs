//! Queues, jobs and expiring items, under faults and crashes.

mod crash;
mod expiry;
mod jobs;
mod mail;
mod queue;
mod release;
mod seeds;
