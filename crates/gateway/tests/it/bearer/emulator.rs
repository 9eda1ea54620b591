//! Bearer tokens in the form of the emulators.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gateway::EMULATOR_KEY;

use crate::client::{NOW_SECONDS, Server};

fn token(kid: &str, expires: u64, key: &str) -> String {
    let head = format!(r#"{{"typ":"JWT","alg":"RS256","kid":"{kid}"}}"#);
    let claims = format!(r#"{{"appid":"localhost","nbf":0,"exp":{expires}}}"#);
    let parts = [head, claims, key.to_owned()].map(|part| URL_SAFE_NO_PAD.encode(part));
    format!("type%3Daad%26ver%3D1.0%26sig%3D{}", parts.join("."))
}

#[tokio::test]
async fn the_token_of_the_emulators_is_accepted_until_it_expires() {
    let server = Server::start().await;
    let kid = "CosmosEmulatorPrimaryMaster";
    let get = |token: String| server.get("/dbs").unsigned().with("authorization", &token);
    get(token(kid, NOW_SECONDS + 60, EMULATOR_KEY)).send().await.expect(200);
    let late = get(token(kid, NOW_SECONDS, EMULATOR_KEY)).send().await;
    late.refused(401, Some("5006"), "has expired");
    let other = get(token(kid, NOW_SECONDS + 60, "other")).send().await;
    other.refused(401, None, "another key");
    let foreign = get(token("other", NOW_SECONDS + 60, EMULATOR_KEY)).send().await;
    foreign.refused(401, None, "no issuer is configured");
    let broken = get("type%3Daad%26ver%3D1.0%26sig%3Dx".to_owned()).send().await;
    broken.refused(401, Some("5003"), "three parts");
}
