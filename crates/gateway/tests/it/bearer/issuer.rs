//! Tokens of a real issuer: which are accepted, and why the others are refused.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gateway::KeySource;
use ring::hmac;

use super::signer::{Signer, claims, file, header, key_set, server, text};
use crate::client::{NOW_SECONDS, Server};

const ROLES: &str = r#"{"roleAssignments":[{"principalId":"READER","scope":"/",
    "roleDefinitionId":"/subscriptions/s/sqlRoleDefinitions/00000000-0000-0000-0000-000000000001"}]}"#;

/// The modulus of an RSA key whose private part is gone, and two tokens it signed for an hour from now.
const MODULUS: &str = concat!(
    "l-8dGZCBA2dUsudwo-QMucNH1Ua7Xo5KxmGNX2C7pcw77xfpDWswGtDk7095_J-U94nOBMtlSgGJk-vsAZxeSpb0QVbhXtb8",
    "NjWu9oF8ZG5wg0aXxeFb7c5ZYMcCZ7EkYuk7Xz_5GiVxcWSgg-JHOxLd7sVEY3w2oMX-0F4IlyTqTMDlpq6b732N77v2zCjZ",
    "iBiqQ0iEdJOE7tXvEXHY3nmLk62sYIUfO2guyiKmqgSsDhqHbMb3HEvPQNKIle8k7If4OHOYnMrONeUf2fwmy5qez8IN-6l4",
    "rjYajT9E5PhLKHSPCHhBRG0Buh7shsn9QKhBuUE7btVTO-GhRxSmBw",
);
const RS256: &str = concat!(
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6InJzYSJ9.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlLyI",
    "sImF1ZCI6Imh0dHBzOi8vY29zbW9zLmV4YW1wbGUiLCJleHAiOjE3OTE2MjY1MTUsIm5iZiI6MTc5MTYyMjkxNSwib2lkIjo",
    "icmVhZGVyIn0.Y9OtwXGfZX1iwCC_FU1z7jiPxw2pybIRf0M36p4hRjn09xf7VT1w6M4Tpt_Amk5Kycxr1o2wfRjYZqUwjyN",
    "6sEFDI0HBP-oU4pjKCa0KnpBjPKQvxhiO9ImuEXfqrI0W1ZbKnM-laDcI6jnFNSZUE6tJP1DWjrmbVmnmIb2X4_yluOw4_h8",
    "ZnLtSwn-I2Bwt7-UiE6OOQzGtUwAOAwGlcQHK-I5HpDVX8VfxN44mqXMk2AMlobYf-ufDJWTVi7SiBgdyfRuZ4RYReq-r0ab",
    "-3vRkFqJt-fiISgG7tPDoGyS3S2-rsaoo-HEonmlsDVUDyKP07xOm-oX2T5WdEY2LCQ",
);
const PS256: &str = concat!(
    "eyJ0eXAiOiJKV1QiLCJhbGciOiJQUzI1NiIsImtpZCI6InJzYSJ9.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlLyI",
    "sImF1ZCI6Imh0dHBzOi8vY29zbW9zLmV4YW1wbGUiLCJleHAiOjE3OTE2MjY1MTUsIm5iZiI6MTc5MTYyMjkxNSwib2lkIjo",
    "icmVhZGVyIn0.IcXOA-eb3R0FBRm6GEqbm6xi21mLc74fFp-Bt6A1L-XRK34DW_U-2WR-A9tT6f3Kf95PFJ-bt6VhyHPCR1u",
    "4Cxtk-ZSuXqtrBstKq3KchtjPWbAS1Jbud42wwz3eQud69emisib9ro-oq8XEhmcruh6r2N38pGHI8Kvtt3hEDXVGXCeQCHr",
    "Sd_CpigXEy22V8WYz06F8AR1f4IL2MjWsh51ONlSIx_2z-ojba0QuEiEoUygzdTCiyCtsOOwwtclkD7qNjtDmCexd30KTASO",
    "6qtrFhZLiAvGjxpV7IiBDU7yTX8YrkHO8lh65uEuyvGe-nW1YehM8w2mv4x76x2eD7Q",
);

async fn get(server: &Server, token: &str) -> crate::client::Answer {
    server.get("/dbs").unsigned().with("authorization", &header(token)).send().await
}

#[tokio::test]
async fn a_token_of_the_issuer_is_accepted_until_it_expires() {
    let signer = Signer::new("one");
    let keys = file(&key_set(&[signer.public()]));
    let server = server(KeySource::File(keys.path().to_owned()), ROLES).await;
    let token = signer.token(&claims("reader"));
    get(&server, &token).await.expect(200);
    server.travel(3600);
    get(&server, &token).await.refused(401, Some("5006"), "has expired");
}

#[tokio::test]
async fn each_invalid_claim_is_refused_by_name() {
    let signer = Signer::new("one");
    let keys = file(&key_set(&[signer.public()]));
    let server = server(KeySource::File(keys.path().to_owned()), ROLES).await;
    let right = claims("reader");
    let later = (NOW_SECONDS + 301).to_string();
    for (from, to, sub_status, expected) in [
        (
            r#""iss":"https://issuer.example/""#,
            r#""iss":"https://issuer.example""#,
            "5007",
            "is by",
        ),
        (r#""iss":"https://issuer.example/","#, "", "5007", "is by 'nobody'"),
        ("https://cosmos.example", "https://elsewhere.example", "5008", "is meant for"),
        (r#""aud":"https://cosmos.example","#, "", "5008", "is meant for"),
        (r#""aud":"https://cosmos.example""#, r#""aud":["a","b"]"#, "5008", "is meant for"),
        (&format!(r#""nbf":{NOW_SECONDS}"#), &format!(r#""nbf":{later}"#), "5005", "not valid yet"),
        (r#""exp":"#, r#""ex":"#, "5003", "no time 'exp'"),
        (r#""oid":"#, r#""id":"#, "5011", "no claim 'oid'"),
    ] {
        let wrong = right.replacen(from, to, 1);
        assert_ne!(wrong, right, "{from}");
        get(&server, &signer.token(&wrong)).await.refused(401, Some(sub_status), expected);
    }
    let several = right
        .replace(r#""aud":"https://cosmos.example""#, r#""aud":["a","https://cosmos.example"]"#);
    get(&server, &signer.token(&several)).await.expect(200);
    get(&server, &signer.token("[]")).await.refused(401, Some("5003"), "not JSON");
}

#[tokio::test]
async fn an_invalid_signature_is_refused() {
    let signer = Signer::new("one");
    let keys = file(&key_set(&[signer.public()]));
    let server = server(KeySource::File(keys.path().to_owned()), ROLES).await;
    let claims = claims("reader");
    for algorithm in ["none", "None", "", "HS256", "RS256", "ES384", "EdDSA"] {
        let head = format!(r#"{{"alg":"{algorithm}","kid":"one"}}"#);
        let unsigned = format!("{}.{}.", text(&head), text(&claims));
        get(&server, &unsigned).await.refused(401, Some("5004"), "is not signed by");
        // A right signature under another name is none either.
        let renamed = signer.token_with(&head, &claims);
        get(&server, &renamed).await.refused(401, Some("5004"), "is not signed by");
    }
    let right = signer.token(&claims);
    let other = Signer::new("one").token(&claims);
    get(&server, &other).await.refused(401, Some("5004"), "is not signed by");
    let tail = right.rsplit('.').next().unwrap();
    let moved = format!("{}.{}.{tail}", text(r#"{"alg":"ES256","kid":"one"}"#), text(&claims));
    get(&server, &moved).await.refused(401, Some("5004"), "is not signed by");
    for (head, expected) in [
        (r#"{"alg":"ES256"}"#, "name its key"),
        (r#"{"alg":"ES256","kid":"one","crit":["b64"]}"#, "extensions"),
    ] {
        get(&server, &signer.token_with(head, &claims)).await.refused(401, Some("5003"), expected);
    }
    let unknown = signer.token_with(r#"{"alg":"ES256","kid":"two"}"#, &claims);
    get(&server, &unknown).await.refused(401, Some("5200"), "does not publish");
}

fn rsa_key(extra: &str) -> String {
    format!(r#"{{"kty":"RSA","kid":"rsa","n":"{MODULUS}","e":"AQAB"{extra}}}"#)
}

#[tokio::test]
async fn an_rsa_key_verifies_and_is_never_used_as_a_secret() {
    let keys = file(&key_set(&[rsa_key("")]));
    let server = server(KeySource::File(keys.path().to_owned()), ROLES).await;
    get(&server, RS256).await.expect(200);
    get(&server, PS256).await.expect(200);
    // The oldest trick: the public key taken as the secret of a symmetric signature.
    let modulus = URL_SAFE_NO_PAD.decode(MODULUS).unwrap();
    for secret in [modulus.as_slice(), MODULUS.as_bytes(), rsa_key("").as_bytes()] {
        let head = text(r#"{"alg":"HS256","kid":"rsa"}"#);
        let signed = format!("{head}.{}", text(claims("reader")));
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), signed.as_bytes());
        let forged = format!("{signed}.{}", text(tag.as_ref()));
        get(&server, &forged).await.refused(401, Some("5004"), "is not signed by");
    }
    let end = RS256.len() - 20;
    let bent = format!("{}A{}", &RS256[..end], &RS256[end + 1..]);
    assert_ne!(bent, RS256);
    get(&server, &bent).await.refused(401, Some("5004"), "is not signed by");
}

#[tokio::test]
async fn a_key_for_one_algorithm_is_refused_for_others() {
    let keys = file(&key_set(&[rsa_key(r#","alg":"RS256""#)]));
    let server = server(KeySource::File(keys.path().to_owned()), ROLES).await;
    get(&server, RS256).await.expect(200);
    get(&server, PS256).await.refused(401, Some("5004"), "under 'PS256'");
}

#[tokio::test]
async fn tokens_of_the_emulators_and_the_account_key_are_still_accepted() {
    let signer = Signer::new("one");
    let keys = file(&key_set(&[signer.public()]));
    let server = server(KeySource::File(keys.path().to_owned()), ROLES).await;
    server.get("/dbs").send().await.expect(200);
    let head = r#"{"alg":"RS256","kid":"CosmosEmulatorPrimaryMaster"}"#;
    let claims = format!(r#"{{"exp":{}}}"#, NOW_SECONDS + 60);
    let token = [head, &claims, gateway::EMULATOR_KEY].map(text).join(".");
    get(&server, &token).await.expect(200);
    let forged = [head, &claims, "x"].map(text).join(".");
    get(&server, &forged).await.refused(401, None, "another key");
}
