//! Envelope encryption: each sealed text has a data key of its own, and the operator's key encrypts only data keys.
//!
//! Owns the stored form. A sealed text is bound to a context, such as its path and version, so that it cannot be moved
//! to another place. An old key still opens what it sealed; the first key seals.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::digest;
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};
use service::settings::Secret;
use zeroize::Zeroizing;

use crate::error::{Error, Result};

const KEY_BYTES: usize = 32;

/// The keys of the operator. The first seals; all open.
pub struct EnvelopeKeys {
    keys: Vec<(String, LessSafeKey)>,
    random: SystemRandom,
}

/// A sealed text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SealedText {
    /// Which key of the operator.
    pub key_id: String,
    /// The data key, sealed with it, in base64.
    pub data_key: String,
    /// The text, sealed with the data key, in base64.
    pub sealed: String,
}

impl EnvelopeKeys {
    /// Reads keys: each is 32 random bytes in base64.
    ///
    /// # Errors
    /// `Invalid` for one that is not, or if there is none. The message holds nothing of a key.
    pub fn parse(texts: &[Secret]) -> Result<Self> {
        let wrong = "a key is 32 random bytes in base64, such as of `openssl rand -base64 32`";
        let mut keys = Vec::with_capacity(texts.len());
        for text in texts {
            let bytes = Zeroizing::new(STANDARD.decode(text.expose().trim()).unwrap_or_default());
            let key = UnboundKey::new(&AES_256_GCM, &bytes).map_err(|_| Error::invalid(wrong))?;
            let hash = digest::digest(&digest::SHA256, &[b"key id", bytes.as_slice()].concat());
            let id = STANDARD.encode(hash.as_ref().get(..6).unwrap_or_default());
            keys.push((id, LessSafeKey::new(key)));
        }
        if keys.is_empty() {
            return Err(Error::invalid(format!("no key is given; {wrong}")));
        }
        Ok(Self { keys, random: SystemRandom::new() })
    }

    /// A new random key, as text.
    ///
    /// # Errors
    /// `Internal` if the operating system gives no random numbers.
    pub fn generate() -> Result<Secret> {
        let mut bytes = Zeroizing::new([0_u8; KEY_BYTES]);
        fill(&SystemRandom::new(), &mut *bytes)?;
        Ok(Secret::new(STANDARD.encode(*bytes)))
    }

    /// Seals a text for one place.
    ///
    /// # Errors
    /// `Internal` if the operating system gives no random numbers.
    pub fn seal(&self, context: &str, text: &[u8]) -> Result<SealedText> {
        let (key_id, key) = self.keys.first().ok_or_else(|| Error::internal("no key"))?;
        let mut data_key = Zeroizing::new([0_u8; KEY_BYTES]);
        fill(&self.random, &mut *data_key)?;
        let mut wrap_nonce = [0_u8; NONCE_LEN];
        fill(&self.random, &mut wrap_nonce)?;
        let wrapped = seal_with(key, wrap_nonce, context, &*data_key)?;
        // A data key seals one text, so its nonce may always be the same.
        let sealed = seal_with(&aes(&*data_key)?, [0; NONCE_LEN], context, text)?;
        let data_key = [wrap_nonce.as_slice(), &wrapped].concat();
        Ok(SealedText {
            key_id: key_id.clone(),
            data_key: STANDARD.encode(data_key),
            sealed: STANDARD.encode(sealed),
        })
    }

    /// Opens a sealed text of the same place.
    ///
    /// # Errors
    /// `BadAnswer` if its key is not known, or it was changed or belongs to another place.
    pub fn open(&self, context: &str, text: &SealedText) -> Result<Zeroizing<Vec<u8>>> {
        let broken = || {
            let message =
                format!("{context} cannot be opened: it was changed, or moved from another place");
            Error::new(crate::error::ErrorKind::BadAnswer, message)
        };
        let key = self.keys.iter().find(|(id, _)| *id == text.key_id).map(|(_, key)| key);
        let key = key.ok_or_else(|| {
            let message =
                format!("{context} was sealed with the key {}, which is not given", text.key_id);
            Error::new(crate::error::ErrorKind::BadAnswer, message)
        })?;
        let wrapped = STANDARD.decode(&text.data_key).map_err(|_| broken())?;
        let (nonce, wrapped) = wrapped.split_at_checked(NONCE_LEN).ok_or_else(broken)?;
        let nonce: [u8; NONCE_LEN] = nonce.try_into().map_err(|_| broken())?;
        let data_key = open_with(key, nonce, context, wrapped.to_vec()).ok_or_else(broken)?;
        let sealed = STANDARD.decode(&text.sealed).map_err(|_| broken())?;
        let data_key = aes(&data_key).map_err(|_| broken())?;
        open_with(&data_key, [0; NONCE_LEN], context, sealed).ok_or_else(broken)
    }
}

fn fill(random: &SystemRandom, bytes: &mut [u8]) -> Result<()> {
    let filled = random.fill(bytes);
    filled.map_err(|_| Error::internal("the operating system gives no random numbers"))
}

fn aes(bytes: &[u8]) -> Result<LessSafeKey> {
    let key = UnboundKey::new(&AES_256_GCM, bytes);
    Ok(LessSafeKey::new(key.map_err(|_| Error::internal("a data key of a wrong length"))?))
}

fn seal_with(
    key: &LessSafeKey,
    nonce: [u8; NONCE_LEN],
    context: &str,
    text: &[u8],
) -> Result<Vec<u8>> {
    // Room for the tag from the start: growing would leave a copy of the text that nobody wipes.
    let mut bytes = Vec::with_capacity(text.len() + AES_256_GCM.tag_len());
    bytes.extend_from_slice(text);
    let nonce = Nonce::assume_unique_for_key(nonce);
    key.seal_in_place_append_tag(nonce, Aad::from(context.as_bytes()), &mut bytes)
        .map_err(|_| Error::internal("a text is too long to be sealed"))?;
    Ok(bytes)
}

fn open_with(
    key: &LessSafeKey,
    nonce: [u8; NONCE_LEN],
    context: &str,
    sealed: Vec<u8>,
) -> Option<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(sealed);
    let nonce = Nonce::assume_unique_for_key(nonce);
    let length = key.open_in_place(nonce, Aad::from(context.as_bytes()), &mut bytes).ok()?.len();
    bytes.truncate(length);
    Some(bytes)
}

impl std::fmt::Debug for EnvelopeKeys {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "EnvelopeKeys({})", self.keys.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_opens_only_at_its_place_with_its_key() {
        let (old, new) = (EnvelopeKeys::generate().unwrap(), EnvelopeKeys::generate().unwrap());
        let before = EnvelopeKeys::parse(std::slice::from_ref(&old)).unwrap();
        let sealed = before.seal("secret/a#1", b"hush").unwrap();
        assert!(!serde_json::to_string(&sealed).unwrap().contains("hush"));
        assert_eq!(before.open("secret/a#1", &sealed).unwrap().as_slice(), b"hush");
        let moved = before.open("secret/b#1", &sealed).unwrap_err().to_string();
        assert!(moved.contains("cannot be opened"), "{moved}");
        let rotated = EnvelopeKeys::parse(&[new.clone(), old]).unwrap();
        assert_eq!(rotated.open("secret/a#1", &sealed).unwrap().as_slice(), b"hush");
        let other = EnvelopeKeys::parse(&[new]).unwrap();
        let unknown = other.open("secret/a#1", &sealed).unwrap_err().to_string();
        assert!(unknown.contains("is not given"), "{unknown}");
        let mut changed = sealed.clone();
        changed.sealed = STANDARD.encode(b"something else entirely");
        assert!(before.open("secret/a#1", &changed).is_err());
        // Equal texts do not look equal.
        assert_ne!(before.seal("secret/a#1", b"hush").unwrap().sealed, sealed.sealed);
    }

    #[test]
    fn a_wrong_key_is_refused_without_showing_it() {
        for wrong in ["", "short", "bm90IDMyIGJ5dGVz"] {
            let error = EnvelopeKeys::parse(&[Secret::new(wrong)]).unwrap_err().to_string();
            assert!(error.contains("32 random bytes"), "{error}");
            assert!(wrong.is_empty() || !error.contains(wrong));
        }
        assert!(EnvelopeKeys::parse(&[]).is_err());
    }
}
