//! Key pairs of the fakes, generated at their first use and kept while the process runs.

use std::sync::OnceLock;

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RsaKeyPair};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const PEM_COLUMNS: usize = 64;

/// A private key in PEM form, and its public key in DER form.
#[derive(Clone)]
pub(super) struct FakeKey {
    pub(super) private_pem: String,
    pub(super) public_der: Vec<u8>,
}

/// The service account's key: RSA, 2048 bits.
pub(super) fn rsa() -> &'static FakeKey {
    static KEY: OnceLock<FakeKey> = OnceLock::new();
    KEY.get_or_init(|| {
        let pair = RsaKeyPair::generate(KeySize::Rsa2048).expect("2048 bits is a size it offers");
        let private: Pkcs8V1Der<'static> = pair.as_der().expect("a key just made has a DER form");
        FakeKey {
            private_pem: pem(private.as_ref()),
            public_der: pair.public_key().as_ref().to_vec(),
        }
    })
}

/// The provider's key: ECDSA on P-256.
pub(super) fn ec() -> &'static FakeKey {
    static KEY: OnceLock<FakeKey> = OnceLock::new();
    KEY.get_or_init(|| {
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let private = EcdsaKeyPair::generate_pkcs8(algorithm, &SystemRandom::new())
            .expect("P-256 is a curve it offers");
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, private.as_ref())
            .expect("a key just made is readable");
        FakeKey {
            private_pem: pem(private.as_ref()),
            public_der: pair.public_key().as_ref().to_vec(),
        }
    })
}

fn pem(der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let mut pem = String::from("-----BEGIN PRIVATE KEY-----\n");
    for (index, character) in text.chars().enumerate() {
        if index > 0 && index % PEM_COLUMNS == 0 {
            pem.push('\n');
        }
        pem.push(character);
    }
    pem.push_str("\n-----END PRIVATE KEY-----\n");
    pem
}
