//! What a run does, made from its seed alone.
//!
//! Owns the order of faults and when they come, in operations and not in time: so the same seed makes the same plan on
//! every machine. What the threads do with it depends on their timing; the plan is what can be repeated.

/// What happens to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// `kill -9` while clients write.
    Kill,
    /// SIGSTOP, SIGCONT, then SIGTERM: requests in progress are answered.
    Stop,
    /// SIGSTOP, and `kill -9` without waking up.
    StopAndKill,
    /// Splits and merges without a pause, then `kill -9` in one of them.
    Restructure,
    /// The disk is full for a while.
    FullDisk,
    /// `kill -9`, then copies of the folder with one damaged file each.
    Damage,
}

const FAULTS: [Fault; 6] = [
    Fault::Kill,
    Fault::Stop,
    Fault::StopAndKill,
    Fault::Restructure,
    Fault::FullDisk,
    Fault::Damage,
];

/// One round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Round {
    pub(crate) number: u64,
    pub(crate) fault: Fault,
    /// Answered operations before the fault.
    pub(crate) operations: u64,
    /// How long a stopped server stays so.
    pub(crate) stopped_ms: u64,
    /// Chooses what the clients send, and which files are damaged.
    pub(crate) seed: u64,
    /// Whether commits wait for the disk. A killed process must make no difference.
    pub(crate) is_relaxed: bool,
}

/// All rounds of a run. Every six have each fault once.
pub(crate) fn plan(seed: u64, rounds: u64) -> Vec<Round> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut faults = Vec::new();
    (1..=rounds)
        .map(|number| {
            if faults.is_empty() {
                faults = FAULTS.to_vec();
                random.shuffle(&mut faults);
            }
            let fault = faults.pop().unwrap_or(Fault::Kill);
            Round {
                number,
                fault,
                operations: random.u64(100..400),
                stopped_ms: random.u64(20..200),
                seed: random.u64(..),
                // The side file that shows a cut journal is written with the syncs.
                is_relaxed: fault != Fault::Damage && random.bool(),
            }
        })
        .collect()
}

#[test]
fn the_same_seed_makes_the_same_plan() {
    assert_eq!(plan(7, 40), plan(7, 40));
    assert_ne!(plan(7, 40), plan(8, 40));
    for fault in FAULTS {
        assert!(plan(7, 6).iter().any(|round| round.fault == fault), "{fault:?}");
    }
}
