//! No secret appears in our logs, in those of libraries, in results or in `Debug` output.

use std::fmt;
use std::sync::{Arc, Mutex};

use notifications::Platform;
use notifications::delivery::fake::{
    FakeApns, FakeFcm, FakeResponse, FakeSmtp, FakeWebhook, ScriptedFault, SmtpStage,
};
use notifications::delivery::{FcmSettings, ProviderSettings, ProviderSettingsError};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span;

use super::ground::{Ground, TOKEN, device, push, sent};

/// Records every field of every event and span as text.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<String>>);

impl Listener {
    fn heard(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}

impl Visit for Listener {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.lock().unwrap().push_str(&format!("{field}={value:?}\n"));
    }
}

impl tracing::Subscriber for Listener {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        attributes.record(&mut self.clone());
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        values.record(&mut self.clone());
    }
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut self.clone());
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

const ADDRESS: &str = "a-person-nobody-may-see@example.net";

struct Fakes {
    fcm: FakeFcm,
    apns: FakeApns,
    webhook: FakeWebhook,
    smtp: FakeSmtp,
}

impl Fakes {
    async fn start(ground: &Ground) -> Self {
        Self {
            fcm: FakeFcm::start(Arc::clone(&ground.clock)).await.unwrap(),
            apns: FakeApns::start(Arc::clone(&ground.clock)).await.unwrap(),
            webhook: FakeWebhook::start(Arc::clone(&ground.clock)).await.unwrap(),
            smtp: FakeSmtp::start().await.unwrap(),
        }
    }

    fn settings(&self) -> ProviderSettings {
        ProviderSettings {
            fcm: self.fcm.settings(),
            apns: self.apns.settings(),
            webhook: self.webhook.settings(),
            smtp: self.smtp.settings(),
        }
    }

    /// All secrets.
    fn secrets(&self) -> Vec<String> {
        let settings = self.settings();
        let line = |pem: &str| pem.lines().nth(1).unwrap().to_owned();
        let mut secrets = vec![
            TOKEN.to_owned(),
            ADDRESS.to_owned(),
            "hook-path-nobody-may-see".to_owned(),
            line(settings.fcm.private_key.expose()),
            line(settings.apns.private_key.expose()),
            settings.webhook.secret.expose().to_owned(),
            settings.smtp.password.expose().to_owned(),
            "access-1".to_owned(),
        ];
        let bearer = self.apns.pushes().received().first().map(|received| {
            received.header("authorization").trim_start_matches("bearer ").to_owned()
        });
        secrets.extend(bearer);
        secrets
    }
}

fn check_hidden(text: &str, secrets: &[String]) {
    for secret in secrets {
        assert!(!secret.is_empty());
        assert!(!text.contains(secret.as_str()), "{secret:?} is in\n{text}");
    }
}

#[tokio::test]
async fn no_secret_is_in_a_log_or_a_result() {
    let listener = Listener::default();
    // With a single listener, a place in the code is judged by the thread that comes by first, and the tests beside
    // this one have none; with two, all listeners are asked.
    let _other = tracing::Dispatch::new(Listener::default());
    let _listening = tracing::subscriber::set_default(listener.clone());
    let ground = Ground::new();
    let fakes = Fakes::start(&ground).await;
    let providers = ground.providers(&fakes.settings());
    let hook = fakes.webhook.url("/hook-path-nobody-may-see");
    let targets = [
        (Platform::Fcm, TOKEN),
        (Platform::Apns, TOKEN),
        (Platform::Webhook, hook.as_str()),
        (Platform::Mail, ADDRESS),
    ];
    let mut results = String::new();
    // Taken; refused by a provider that repeats what it was sent; and cut off in the middle.
    for round in 0..3 {
        let echo = FakeResponse::json(
            400,
            &json!({
                "reason": format!("no {TOKEN}"),
                "error": { "message": format!("no {TOKEN} {ADDRESS} access-1") },
            }),
        );
        for script in [fakes.fcm.messages(), fakes.apns.pushes(), fakes.webhook.pushes()] {
            match round {
                0 => {}
                1 => script.next(echo.clone()),
                _ => {
                    script.next(ScriptedFault::DropConnection);
                    script.next(ScriptedFault::DropConnection);
                }
            }
        }
        match round {
            0 => {}
            1 => fakes.smtp.next_reply(SmtpStage::Recipient, &format!("554 5.0.0 no {ADDRESS}")),
            _ => fakes.smtp.next_drop(SmtpStage::Recipient),
        }
        for (platform, token) in targets {
            let result = sent(&providers, &device(platform, token), &push()).await;
            results.push_str(&format!("{result}\n"));
        }
        for script in [fakes.fcm.messages(), fakes.apns.pushes(), fakes.webhook.pushes()] {
            script.clear();
        }
    }
    let expected = "delivered\ndelivered\ndelivered\ndelivered\n\
                    permanent: fcm: status 400\npermanent: apns: status 400\n\
                    permanent: webhook: status 400\npermanent: smtp: reply 554 5.0.0\n\
                    retry: fcm: the connection was closed before the response\n\
                    retry: apns: the connection was closed before the response\n\
                    retry: webhook: the connection was closed before the response\n\
                    retry: smtp: no connection, or a broken one\n";
    assert_eq!(results, expected);
    let secrets = fakes.secrets();
    assert_eq!(secrets.len(), 9);
    let heard = listener.heard();
    assert!(heard.contains("platform=Fcm"), "the listener hears nothing");
    check_hidden(&heard, &secrets);
}

#[tokio::test]
async fn no_secret_is_in_debug() {
    let ground = Ground::new();
    let fakes = Fakes::start(&ground).await;
    let settings = fakes.settings();
    let providers = ground.providers(&settings);
    sent(&providers, &device(Platform::Apns, TOKEN), &push()).await;
    let text = format!("{settings:?} {providers:?} {:?}", device(Platform::Fcm, TOKEN));
    assert!(text.contains("(secret)"));
    check_hidden(&text, &fakes.secrets());
}

#[tokio::test]
async fn no_secret_is_in_an_error_about_settings() {
    let ground = Ground::new();
    let fakes = Fakes::start(&ground).await;
    // Each key in the other's place: real keys, and of no use there.
    let mut settings = fakes.settings();
    let (fcm, apns) = (settings.fcm.clone(), settings.apns.clone());
    settings.fcm.private_key = apns.private_key;
    settings.apns.private_key = fcm.private_key;
    let open = |settings: &ProviderSettings| -> ProviderSettingsError {
        notifications::delivery::Providers::open(settings, &ground.clock).unwrap_err()
    };
    let mut text = format!("{:?} ", open(&settings));
    settings.fcm = FcmSettings::default();
    text.push_str(&open(&settings).to_string());
    assert!(text.contains("Fcm:PrivateKey") && text.contains("Apns:PrivateKey"), "{text}");
    check_hidden(&text, &fakes.secrets());
}
