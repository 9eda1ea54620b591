//! Templates of the resource manager, as written by hand or compiled from Bicep.
//!
//! `template` finds the databases and containers, `expression` gives names their values, `line` says where in the text
//! something stands. What is not ours is listed; what is ours and not understood is a mistake with its line.

mod expression;
mod line;
mod resource;
mod template;

pub(super) use template::read;
