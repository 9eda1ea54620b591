//! Getting a push out of the house: the words of it, and the providers behind one trait.

mod words;

pub use words::{Delivery, Push, PushResult};
