//! Choices that repeat for the same seed.

/// A seeded generator.
#[derive(Clone, Debug)]
pub(crate) struct Dice(fastrand::Rng);

impl Dice {
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

    /// A place in a list of this length.
    pub(crate) fn place(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// True so many times in a hundred.
    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// One of a list.
    pub(crate) fn pick<'list, T>(&mut self, list: &'list [T]) -> &'list T {
        &list[self.place(list.len())]
    }

    /// The number of one of several choices, each as likely as its weight.
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
