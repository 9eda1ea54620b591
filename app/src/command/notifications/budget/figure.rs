//! The figures of the seed, and what is known to cost more than it says, with the reason.

/// What the seed says about one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figure {
    /// Number of the requirement.
    pub(super) id: &'static str,
    /// What is done.
    pub(super) what: &'static str,
    /// Request units by the seed; none where it gives no figure.
    pub(super) seed: Option<f64>,
    /// What it may cost instead, and why; the seed leaves something out.
    pub(super) known: Option<(f64, &'static str)>,
}

/// How a measured charge stands to its figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Not more than the seed says.
    Met,
    /// Not more than twice as much: the seed's figures are round.
    Near,
    /// More, for a known reason and within a known bound.
    Known,
    /// More than it may cost.
    Over,
    /// The seed gives no figure.
    Told,
}

impl Figure {
    const fn new(id: &'static str, what: &'static str, seed: f64) -> Self {
        Self { id, what, seed: Some(seed), known: None }
    }

    const fn without(id: &'static str, what: &'static str) -> Self {
        Self { id, what, seed: None, known: None }
    }

    const fn known(self, most: f64, why: &'static str) -> Self {
        Self { known: Some((most, why)), ..self }
    }

    pub(super) fn verdict(&self, charge: f64) -> Verdict {
        match (self.seed, self.known) {
            (Some(seed), _) if charge <= seed => Verdict::Met,
            (Some(seed), None) if charge <= 2.0 * seed => Verdict::Near,
            (_, Some((most, _))) if charge <= most => Verdict::Known,
            (None, None) => Verdict::Told,
            _ => Verdict::Over,
        }
    }
}

impl Verdict {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Near => "within twice",
            Self::Known => "more, known",
            Self::Over => "OVER",
            Self::Told => "no figure",
        }
    }
}

// The bounds of NT-X9. systems/notifications/docs/running.md has the sums of what is over them.
const STEPS: &str = "the seed leaves out claim, dedupe, limits and devices; wanted are 30 (NT-X9)";
const MARK: &str = "read and replace, which pays for the old version too; wanted are 12 (NT-X9)";
const REPLACE: &str = "read and replace; a replace pays for the old version too (NT-X9)";
const OWNER: &str = "the cap holds by a batch (NT-X14), a token has one owner (NT-X15)";

pub(super) const ENQUEUE: Figure = Figure::new("NT-020", "enqueue an event", 5.0);
pub(super) const DUE: Figure = Figure::without("NT-021", "due events, all users");
pub(super) const DEDUPE: Figure = Figure::new("NT-022", "dedupe check", 3.0);
pub(super) const PROCESS: Figure =
    Figure::new("NT-023", "process an event, no device", 15.0).known(30.0, STEPS);
pub(super) const PROCESS_PUSHED: Figure =
    Figure::new("NT-023", "process an event, pushed to three", 15.0).known(30.0, STEPS);
pub(super) const UNREAD: Figure = Figure::new("NT-024", "unread count", 3.0);
pub(super) const PAGE: Figure = Figure::new("NT-025", "page of 20", 3.0);
pub(super) const RATE: Figure = Figure::new("NT-026", "rate check", 3.0);
pub(super) const PREFERENCES: Figure = Figure::new("NT-027", "read preferences", 1.0);
pub(super) const FIRST_PREFERENCES: Figure =
    Figure::new("NT-028", "first preferences of a user", 5.0);
pub(super) const CHANGE_PREFERENCES: Figure =
    Figure::new("NT-028", "change preferences", 5.0).known(12.0, REPLACE);
pub(super) const READ: Figure = Figure::new("NT-029", "mark as read", 5.0).known(12.0, MARK);
pub(super) const DISMISS: Figure = Figure::new("NT-029", "dismiss", 5.0).known(12.0, MARK);
pub(super) const DEVICES: Figure = Figure::new("NT-030", "active devices", 3.0);
pub(super) const REGISTER: Figure =
    Figure::new("NT-031", "register the first device", 10.0).known(30.0, OWNER);
pub(super) const REGISTER_NEXT: Figure =
    Figure::new("NT-031", "register another device", 10.0).known(36.0, OWNER);
pub(super) const EVICT: Figure =
    Figure::new("NT-031", "register a fourth, evict one", 10.0).known(48.0, OWNER);
pub(super) const REFRESH: Figure = Figure::new("NT-032", "refresh a token", 8.0).known(48.0, OWNER);
pub(super) const REVOKE: Figure = Figure::new("NT-033", "revoke a device", 8.0).known(30.0, OWNER);
pub(super) const ERASE: Figure = Figure::without("NT-034", "erase a user");
pub(super) const ROUND: Figure = Figure::without("NT-021", "a round of a worker, nothing new");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_the_figures() {
        let plain = Figure::new("NT-0", "x", 3.0);
        assert_eq!(
            [2.9, 5.9, 6.1].map(|charge| plain.verdict(charge)),
            [Verdict::Met, Verdict::Near, Verdict::Over]
        );
        let known = plain.known(10.0, "y");
        assert_eq!(
            [5.0, 10.1].map(|charge| known.verdict(charge)),
            [Verdict::Known, Verdict::Over]
        );
        assert_eq!(Figure::without("NT-0", "x").verdict(99.0), Verdict::Told);
    }
}
