//! Peers that were not built in.

use super::{PeerFigure, Scanning};
use crate::Result;

const HOW: &str = "not built in: --features peers";

/// Built with the feature `peers` only.
pub(in crate::queries) fn sqlite(_: &Scanning) -> Result<PeerFigure> {
    Ok(PeerFigure::Absent(HOW.to_owned()))
}

/// Built with the feature `peers` only.
pub(in crate::queries) fn postgresql(_: &Scanning) -> Result<PeerFigure> {
    Ok(PeerFigure::Absent(HOW.to_owned()))
}
