//! Runs the fake push providers for a program in another language, and tells what it sent.
//!
//! Owns one line of settings at the start and one line of records for each line it reads. Does not own any check beyond
//! those of the fakes. `systems/notifications/judges/record.mjs` uses it.

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
    // A library that cannot be told another token endpoint signs for the real one, which the fake rightly refuses; here
    // it is what is sent that counts, so both endpoints take everything.
    let taken = json!({
        "access_token": "access-1", "expires_in": 3599, "token_type": "Bearer",
        "name": "projects/demo-project/messages/1",
    });
    fcm.tokens().always(FakeResponse::json(200, &taken));
    fcm.messages().always(FakeResponse::json(200, &taken));
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
            "tokens": shown(&fcm.tokens().received()),
            "messages": shown(&fcm.messages().received()),
            "apns": shown(&apns.pushes().received()),
            "apnsViolations": apns.pushes().violations(),
        });
        println!("{records}");
    }
    Ok(())
}

fn shown(received: &[ReceivedRequest]) -> Vec<Value> {
    let show = |received: &ReceivedRequest| {
        json!({
            "method": received.method,
            "path": received.path,
            "headers": received.headers,
            "body": String::from_utf8_lossy(&received.body),
            "overHttp2": received.is_http2,
        })
    };
    received.iter().map(show).collect()
}
