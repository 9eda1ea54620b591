//! The stored form of a code: Argon2id over pepper, user, salt and code.
//!
//! `otp1$argon2id$m=65536,t=3,p=1$<salt>$<hash>`. The parameters are stored with each hash, so that a code of before a
//! change of the settings stays valid.

use std::sync::Arc;

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::Semaphore;
use zeroize::Zeroizing;

use super::code::OneTimeCode;
use crate::error::{Error, Result};
use crate::settings::{OtpSettings, pepper_bytes};

const FORMAT: &str = "otp1$argon2id$";
const SALT_BYTES: usize = 16;
/// Hashes at the same time: each needs its memory.
const HASHES_MAX: usize = 4;

/// Hashes and verifies codes.
#[derive(Clone)]
pub struct CodeHasher {
    settings: OtpSettings,
    /// The pepper, and the one before the last rotation.
    peppers: Vec<Arc<Zeroizing<Vec<u8>>>>,
    running: Arc<Semaphore>,
}

/// The parameters of one hash.
struct HashWork {
    params: Params,
    salt: Vec<u8>,
    length: usize,
}

impl CodeHasher {
    /// Hashes by these settings. Without a pepper a random one is used, and codes end with the process.
    ///
    /// # Errors
    /// `Internal` if the operating system gives no random numbers.
    pub fn new(settings: &OtpSettings) -> Result<Self> {
        let mut peppers = Vec::new();
        for pepper in [&settings.pepper, &settings.previous_pepper] {
            peppers.extend(pepper_bytes(pepper).map(Arc::new));
        }
        if peppers.is_empty() {
            peppers.push(Arc::new(Zeroizing::new(random_bytes(32)?)));
        }
        let running = Arc::new(Semaphore::new(HASHES_MAX));
        Ok(Self { settings: settings.clone(), peppers, running })
    }

    /// The stored form of a code.
    pub(crate) async fn hash(&self, user: &str, code: &OneTimeCode) -> Result<String> {
        if !self.settings.hashing_enabled {
            return Ok(code.secret().to_owned());
        }
        let OtpSettings { memory_kib, iterations, parallelism, output_length, .. } = self.settings;
        let params = Params::new(memory_kib, iterations, parallelism, Some(output_length));
        let params = params.map_err(|error| Error::invalid(format!("Otp: {error}")))?;
        let work = HashWork { params, salt: random_bytes(SALT_BYTES)?, length: output_length };
        let head = format!(
            "{FORMAT}m={memory_kib},t={iterations},p={parallelism}${}$",
            STANDARD_NO_PAD.encode(&work.salt)
        );
        let hash = self.compute(work, user, code, 0).await?;
        Ok(format!("{head}{}", STANDARD_NO_PAD.encode(&hash)))
    }

    /// Whether a stored form is that of a code, in a time that does not depend on it. `None` for a user without a code:
    /// then the same work is done for nothing.
    pub(crate) async fn verify(
        &self,
        user: &str,
        stored: Option<&str>,
        code: &OneTimeCode,
    ) -> Result<bool> {
        let Some(stored) = stored else {
            self.hash(user, code).await?;
            return Ok(false);
        };
        let Some((work, expected)) = parse(stored) else {
            let is_raw = !self.settings.hashing_enabled;
            return Ok(is_raw && is_equal(stored.as_bytes(), code.secret().as_bytes()));
        };
        for (number, _) in self.peppers.iter().enumerate() {
            let work = HashWork { salt: work.salt.clone(), params: work.params.clone(), ..work };
            if is_equal(&self.compute(work, user, code, number).await?, &expected) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs on a thread of its own: it takes a while, and memory.
    async fn compute(
        &self,
        work: HashWork,
        user: &str,
        code: &OneTimeCode,
        pepper: usize,
    ) -> Result<Vec<u8>> {
        let failed = |why: String| Error::internal(format!("hashing a one-time code: {why}"));
        let pepper = self.peppers.get(pepper).cloned();
        let pepper = pepper.ok_or_else(|| failed("there is no pepper".to_owned()))?;
        // The name with its length in front, so that no name and code together look like others.
        let text = Zeroizing::new(format!("{}:{user}:{}", user.len(), code.secret()).into_bytes());
        let permit = Arc::clone(&self.running).acquire_owned().await;
        let permit = permit.map_err(|error| failed(error.to_string()))?;
        let computed = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let mut hash = vec![0; work.length];
            let (algorithm, version) = (Algorithm::Argon2id, Version::V0x13);
            Argon2::new_with_secret(&pepper, algorithm, version, work.params)
                .and_then(|argon| argon.hash_password_into(&text, &work.salt, &mut hash))
                .map(|()| hash)
        });
        let computed = computed.await.map_err(|error| failed(error.to_string()))?;
        computed.map_err(|error| failed(error.to_string()))
    }
}

fn parse(stored: &str) -> Option<(HashWork, Vec<u8>)> {
    let mut parts = stored.strip_prefix(FORMAT)?.split('$');
    let mut numbers = parts.next()?.split(',').map(|part| part.split_once('=')?.1.parse().ok());
    let (memory, passes, lanes) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let salt = STANDARD_NO_PAD.decode(parts.next()?).ok()?;
    let hash = STANDARD_NO_PAD.decode(parts.next()?).ok()?;
    let params = Params::new(memory, passes, lanes, Some(hash.len())).ok()?;
    Some((HashWork { params, salt, length: hash.len() }, hash))
}

fn random_bytes(count: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; count];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| Error::internal("the operating system gives no random numbers"))?;
    Ok(bytes)
}

/// Compares in a time that does not reveal where they differ: tags of an HMAC are compared instead.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    use ring::hmac;
    let key = hmac::Key::new(hmac::HMAC_SHA256, b"compare");
    hmac::verify(&key, other, hmac::sign(&key, one).as_ref()).is_ok()
}

#[cfg(test)]
mod tests {
    use service::settings::Secret;

    use super::*;

    fn settings(pepper: u8, previous: Option<u8>) -> OtpSettings {
        use base64::engine::general_purpose::STANDARD;
        let secret = |byte| Secret::new(STANDARD.encode([byte; 32]));
        OtpSettings {
            pepper: secret(pepper),
            previous_pepper: previous.map(secret).unwrap_or_default(),
            memory_kib: 8_192,
            iterations: 1,
            ..OtpSettings::default()
        }
    }

    #[tokio::test]
    async fn a_hash_is_of_one_user_one_code_and_one_pepper() {
        let hasher = CodeHasher::new(&settings(1, None)).unwrap();
        let code = OneTimeCode::given("012345").unwrap();
        let stored = hasher.hash("alice", &code).await.unwrap();
        assert!(stored.starts_with("otp1$argon2id$m=8192,t=1,p=1$"), "{stored}");
        assert!(!stored.contains("012345"));
        assert_ne!(stored, hasher.hash("alice", &code).await.unwrap());
        let verify = async |hasher: &CodeHasher, user, code: &str| {
            let code = OneTimeCode::given(code).unwrap();
            hasher.verify(user, Some(&stored), &code).await.unwrap()
        };
        assert!(verify(&hasher, "alice", "012345").await);
        assert!(!verify(&hasher, "bob", "012345").await);
        assert!(!verify(&hasher, "alice", "012346").await);
        assert!(!verify(&CodeHasher::new(&settings(2, None)).unwrap(), "alice", "012345").await);
        // After a rotation, codes that are under way stay valid.
        assert!(verify(&CodeHasher::new(&settings(2, Some(1))).unwrap(), "alice", "012345").await);
    }

    #[tokio::test]
    async fn digits_are_stored_only_without_hashing() {
        let raw = OtpSettings { hashing_enabled: false, ..settings(1, None) };
        let (raw, hashing) =
            (CodeHasher::new(&raw).unwrap(), CodeHasher::new(&settings(1, None)).unwrap());
        let code = OneTimeCode::given("012345").unwrap();
        assert_eq!(raw.hash("alice", &code).await.unwrap(), "012345");
        assert!(raw.verify("alice", Some("012345"), &code).await.unwrap());
        assert!(!hashing.verify("alice", Some("012345"), &code).await.unwrap());
    }
}
