//! A seeded random generator for tests.

/// A generator that gives the same choices for the same seed.
#[derive(Clone, Debug)]
pub(crate) struct SeededRandom(fastrand::Rng);

impl SeededRandom {
    pub(crate) fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0.u64(..end)
    }

    /// An index into a list of this length.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// True with this probability in percent.
    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// One of a list.
    pub(crate) fn pick<'list, T>(&mut self, list: &'list [T]) -> &'list T {
        &list[self.index(list.len())]
    }

    /// The index of a choice, with probabilities in proportion to the weights.
    pub(crate) fn weighted(&mut self, weights: &[u64]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (choice, weight) in weights.iter().enumerate() {
            if left < *weight {
                return choice;
            }
            left -= weight;
        }
        unreachable!("the number is below the sum of the weights")
    }
}
