//! The measurements, one file each.

mod counted;
mod full_scan;
mod preparing;

pub(super) use counted::counted;
pub(super) use full_scan::full_scan;
pub(super) use preparing::preparing;
