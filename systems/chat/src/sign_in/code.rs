//! A one-time code: six digits of a cryptographic generator.

use ring::rand::{SecureRandom, SystemRandom};

use crate::error::{Error, Result};

const CODES: u32 = 1_000_000;
/// The largest multiple of [`CODES`] in 32 bits: numbers beyond it would make some codes more likely.
const FAIR: u32 = u32::MAX / CODES * CODES;

/// A code that only its receiver may see; `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct OneTimeCode(String);

impl OneTimeCode {
    pub(crate) fn random() -> Result<Self> {
        // Not from the environment: a seeded generator could be repeated by whoever knows the seed.
        let random = SystemRandom::new();
        loop {
            let mut bytes = [0; 4];
            let filled = random.fill(&mut bytes);
            filled.map_err(|_| Error::internal("the operating system gives no random numbers"))?;
            let number = u32::from_be_bytes(bytes);
            if number < FAIR {
                return Ok(Self(format!("{:06}", number % CODES)));
            }
        }
    }

    /// A code as a user typed it; `None` if it is no code.
    pub(crate) fn given(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_code = text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_digit());
        is_code.then(|| Self(text.to_owned()))
    }

    pub(crate) fn secret(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for OneTimeCode {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("OneTimeCode(hidden)")
    }
}
