//! A value with its request charge, and the sum of the charges of several calls.
//!
//! Owns adding up. Does not own the charge of a call: the account states it.

/// The result of an action or a question, with its request charge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChargedValue<T> {
    /// The result.
    pub value: T,
    /// Request units of all calls to the account together.
    pub charge: f64,
}

impl<T> ChargedValue<T> {
    /// A value with its charge.
    #[must_use]
    pub fn new(value: T, charge: f64) -> Self {
        Self { value, charge }
    }
}

/// Adds up the request charges of several calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChargeMeter(f64);

impl ChargeMeter {
    /// Adds the charge of a response and returns its value.
    pub fn record<T>(&mut self, response: client::AccountResponse<T>) -> T {
        self.add(response.charge);
        response.value
    }

    /// Adds the charge of a request that failed: one that finds nothing is charged too.
    pub fn record_error(&mut self, error: &client::Error) {
        self.add(error.charge());
    }

    /// Adds a charge.
    pub fn add(&mut self, charge: f64) {
        self.0 += charge;
    }

    /// The sum so far.
    #[must_use]
    pub fn total(self) -> f64 {
        self.0
    }

    /// A value with the charge of everything recorded.
    #[must_use]
    pub fn finish<T>(self, value: T) -> ChargedValue<T> {
        ChargedValue::new(value, self.0)
    }
}
