//! The charges that the seed document allows for each operation, and the known exceptions with their reasons.

/// The figure of the seed for one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SeedFigure {
    /// Id of the requirement.
    pub(super) id: &'static str,
    /// The operation.
    pub(super) what: &'static str,
    /// Request units according to the seed; `None` if it gives no figure.
    pub(super) seed: Option<f64>,
    /// The charge allowed instead, and the reason: the seed omits something.
    pub(super) known: Option<(f64, &'static str)>,
}

/// How a measured charge compares with its figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FigureVerdict {
    /// At most the figure.
    Met,
    /// At most twice the figure: the seed rounds.
    Near,
    /// More, for a known reason and within a known limit.
    Known,
    /// More than allowed.
    Over,
    /// The seed gives no figure.
    NoFigure,
}

impl SeedFigure {
    const fn new(id: &'static str, what: &'static str, seed: f64) -> Self {
        Self { id, what, seed: Some(seed), known: None }
    }

    const fn without(id: &'static str, what: &'static str) -> Self {
        Self { id, what, seed: None, known: None }
    }

    const fn known(self, max: f64, why: &'static str) -> Self {
        Self { known: Some((max, why)), ..self }
    }

    pub(super) fn verdict(&self, charge: f64) -> FigureVerdict {
        match (self.seed, self.known) {
            (Some(seed), _) if charge <= seed => FigureVerdict::Met,
            (Some(seed), None) if charge <= 2.0 * seed => FigureVerdict::Near,
            (_, Some((max, _))) if charge <= max => FigureVerdict::Known,
            (None, None) => FigureVerdict::NoFigure,
            _ => FigureVerdict::Over,
        }
    }
}

impl FigureVerdict {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Near => "within twice",
            Self::Known => "more, known",
            Self::Over => "OVER",
            Self::NoFigure => "no figure",
        }
    }
}

// The bounds of NT-X9. systems/notifications/docs/running.md has the sums of what is over them.
const STEPS: &str = "the seed leaves out claim, dedupe, limits and devices; wanted are 30 (NT-X9)";
const MARK: &str = "read and replace, which pays for the old version too; wanted are 12 (NT-X9)";
const REPLACE: &str = "read and replace; a replace pays for the old version too (NT-X9)";
const OWNER: &str = "the cap holds by a batch (NT-X14), a token has one owner (NT-X15)";

pub(super) const ENQUEUE: SeedFigure = SeedFigure::new("NT-020", "enqueue an event", 5.0);
pub(super) const DUE: SeedFigure = SeedFigure::without("NT-021", "due events, all users");
pub(super) const DEDUPE: SeedFigure = SeedFigure::new("NT-022", "dedupe check", 3.0);
pub(super) const PROCESS: SeedFigure =
    SeedFigure::new("NT-023", "process an event, no device", 15.0).known(30.0, STEPS);
pub(super) const PROCESS_PUSHED: SeedFigure =
    SeedFigure::new("NT-023", "process an event, pushed to three", 15.0).known(30.0, STEPS);
pub(super) const UNREAD: SeedFigure = SeedFigure::new("NT-024", "unread count", 3.0);
pub(super) const PAGE: SeedFigure = SeedFigure::new("NT-025", "page of 20", 3.0);
pub(super) const RATE: SeedFigure = SeedFigure::new("NT-026", "rate check", 3.0);
pub(super) const PREFERENCES: SeedFigure = SeedFigure::new("NT-027", "read preferences", 1.0);
pub(super) const FIRST_PREFERENCES: SeedFigure =
    SeedFigure::new("NT-028", "first preferences of a user", 5.0);
pub(super) const CHANGE_PREFERENCES: SeedFigure =
    SeedFigure::new("NT-028", "change preferences", 5.0).known(12.0, REPLACE);
pub(super) const READ: SeedFigure =
    SeedFigure::new("NT-029", "mark as read", 5.0).known(12.0, MARK);
pub(super) const DISMISS: SeedFigure = SeedFigure::new("NT-029", "dismiss", 5.0).known(12.0, MARK);
pub(super) const DEVICES: SeedFigure = SeedFigure::new("NT-030", "active devices", 3.0);
pub(super) const REGISTER: SeedFigure =
    SeedFigure::new("NT-031", "register the first device", 10.0).known(30.0, OWNER);
pub(super) const REGISTER_NEXT: SeedFigure =
    SeedFigure::new("NT-031", "register another device", 10.0).known(36.0, OWNER);
pub(super) const EVICT: SeedFigure =
    SeedFigure::new("NT-031", "register a fourth, evict one", 10.0).known(48.0, OWNER);
pub(super) const REFRESH: SeedFigure =
    SeedFigure::new("NT-032", "refresh a token", 8.0).known(48.0, OWNER);
pub(super) const REVOKE: SeedFigure =
    SeedFigure::new("NT-033", "revoke a device", 8.0).known(30.0, OWNER);
pub(super) const ERASE: SeedFigure = SeedFigure::without("NT-034", "erase a user");
pub(super) const ROUND: SeedFigure =
    SeedFigure::without("NT-021", "a round of a worker, nothing new");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_the_figures() {
        let plain = SeedFigure::new("NT-0", "x", 3.0);
        assert_eq!(
            [2.9, 5.9, 6.1].map(|charge| plain.verdict(charge)),
            [FigureVerdict::Met, FigureVerdict::Near, FigureVerdict::Over]
        );
        let known = plain.known(10.0, "y");
        assert_eq!(
            [5.0, 10.1].map(|charge| known.verdict(charge)),
            [FigureVerdict::Known, FigureVerdict::Over]
        );
        assert_eq!(SeedFigure::without("NT-0", "x").verdict(99.0), FigureVerdict::NoFigure);
    }
}
