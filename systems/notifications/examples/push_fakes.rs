//! Runs the fake push providers for a program in another language, and prints what it sent.
//!
//! Prints one line with the settings at the start, and one line with all recorded requests for each line of its input.
//! `systems/notifications/judges/record.mjs` uses it.

#![expect(clippy::print_stdout, reason = "a program at the end of a pipe")]

use std::io::BufRead;
use std::sync::Arc;

use client::{Clock, SystemClock};
use planisphere_notifications::delivery::fake::{FakeApns, FakeFcm, FakeResponse, ReceivedRequest};
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let fcm = FakeFcm::start(Arc::clone(&clock)).await?;
    let apns = FakeApns::start(clock).await?;
    // A library whose token endpoint cannot be configured signs for the real one, which the fake would refuse. Here
    // only the requests matter, so both endpoints accept everything.
    let accepted = json!({
        "access_token": "access-1", "expires_in": 3599, "token_type": "Bearer",
        "name": "projects/demo-project/messages/1",
    });
    fcm.tokens().always(FakeResponse::json(200, &accepted));
    fcm.messages().always(FakeResponse::json(200, &accepted));
    let (fcm_settings, apns_settings) = (fcm.settings(), apns.settings());
    let settings = json!({
        "fcm": {
            "endpoint": fcm_settings.endpoint,
            "project": fcm_settings.project_id,
            "account": fcm_settings.client_email,
            "key": fcm_settings.private_key.expose(),
        },
        "apns": {
            "endpoint": apns_settings.endpoint,
            "team": apns_settings.team_id,
            "keyId": apns_settings.key_id,
            "key": apns_settings.private_key.expose(),
            "topic": apns_settings.topic,
        },
    });
    println!("{settings}");
    for line in std::io::stdin().lock().lines() {
        line?;
        let records = json!({
            "tokens": to_json(&fcm.tokens().received()),
            "messages": to_json(&fcm.messages().received()),
            "apns": to_json(&apns.pushes().received()),
            "apnsViolations": apns.pushes().violations(),
        });
        println!("{records}");
    }
    Ok(())
}

fn to_json(received: &[ReceivedRequest]) -> Vec<Value> {
    let convert = |received: &ReceivedRequest| {
        json!({
            "method": received.method,
            "path": received.path,
            "headers": received.headers,
            "body": String::from_utf8_lossy(&received.body),
            "overHttp2": received.is_http2,
        })
    };
    received.iter().map(convert).collect()
}
