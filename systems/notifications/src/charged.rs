//! A value and what it cost.

/// What an action or a question gave, and its charge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Charged<T> {
    /// What was asked for.
    pub value: T,
    /// Request units of all calls together.
    pub charge: f64,
}

impl<T> Charged<T> {
    pub(crate) fn new(value: T, charge: f64) -> Self {
        Self { value, charge }
    }
}

/// Adds up the charges of several calls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bill(pub(crate) f64);

impl Bill {
    /// Takes the value out of an answer and keeps its charge.
    pub(crate) fn take<T>(&mut self, answer: client::Answer<T>) -> T {
        self.0 += answer.charge;
        answer.value
    }

    /// Keeps the charge of a request that found nothing or was refused.
    pub(crate) fn miss(&mut self, error: &client::Error) {
        self.0 += error.charge();
    }

    pub(crate) fn of<T>(self, value: T) -> Charged<T> {
        Charged::new(value, self.0)
    }
}
