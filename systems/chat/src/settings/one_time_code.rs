//! The group `Otp`: how one-time codes are hashed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use service::settings::{Secret, SettingsSection, SettingsValidator};
use zeroize::Zeroizing;

/// Shorter peppers are easier to guess.
const PEPPER_BYTES_MIN: usize = 32;

/// The group `Otp`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct OtpSettings {
    /// A key that is hashed with every code, in base64, at least 32 bytes. Needed outside of development.
    pub pepper: Secret,
    /// The pepper before the last rotation: codes that were sent with it stay valid until they expire.
    pub previous_pepper: Secret,
    /// Codes are stored as hashes; without it as digits.
    pub hashing_enabled: bool,
    /// Codes that may be tried for one user before the window ends.
    pub max_attempts: u32,
    /// Memory of one hash, in KiB.
    #[serde(rename = "MemoryKB")]
    pub memory_kib: u32,
    /// Passes of one hash.
    pub iterations: u32,
    /// Lanes of one hash.
    pub parallelism: u32,
    /// Bytes of one hash.
    pub output_length: usize,
}

impl Default for OtpSettings {
    fn default() -> Self {
        Self {
            pepper: Secret::default(),
            previous_pepper: Secret::default(),
            hashing_enabled: true,
            max_attempts: 5,
            memory_kib: 65_536,
            iterations: 3,
            parallelism: 1,
            output_length: 32,
        }
    }
}

/// The bytes of a pepper; `None` if it is no base64 or too short.
pub(crate) fn pepper_bytes(pepper: &Secret) -> Option<Zeroizing<Vec<u8>>> {
    let bytes = Zeroizing::new(STANDARD.decode(pepper.expose()).ok()?);
    (bytes.len() >= PEPPER_BYTES_MIN).then_some(bytes)
}

impl SettingsSection for OtpSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        for (name, pepper) in [("Pepper", &self.pepper), ("PreviousPepper", &self.previous_pepper)]
        {
            let is_right = !pepper.is_set() || pepper_bytes(pepper).is_some();
            validator.require(name, is_right, "base64 of at least 32 bytes");
        }
        validator.require_range("MaxAttempts", self.max_attempts, 3..=10);
        validator.require_range("MemoryKB", self.memory_kib, 8_192..=1_048_576);
        validator.require_range("Iterations", self.iterations, 1..=20);
        validator.require_range("Parallelism", self.parallelism, 1..=16);
        validator.require_range("OutputLength", self.output_length, 16..=64);
    }
}
