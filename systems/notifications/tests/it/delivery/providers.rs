//! The choice of a provider, and wrong settings.

use std::sync::Arc;

use notifications::Platform;
use notifications::delivery::fake::{FakeApns, FakeFcm, FakeSmtp, FakeWebhook};
use notifications::delivery::{
    ApnsSettings, Delivery, FcmSettings, ProviderSettings, Providers, SmtpSettings, WebhookSettings,
};

use service::settings::{Secret, SettingsBuilder};

use super::ground::{Ground, TOKEN, device, push, sent};

const PLATFORMS: [Platform; 4] = Platform::ALL;

#[test]
fn platforms_are_stored_under_their_names() {
    for platform in PLATFORMS {
        assert_eq!(serde_json::to_value(platform).unwrap(), platform.name());
        assert_eq!(Platform::from_name(platform.name()), Some(platform));
    }
    assert_eq!(Platform::from_name("FCM"), None);
}

#[tokio::test]
async fn without_settings_a_push_is_not_configured() {
    let providers = Ground::new().providers(&ProviderSettings::default());
    for platform in PLATFORMS {
        assert_eq!(sent(&providers, &device(platform, TOKEN), &push()).await, "not configured");
        assert!(!providers.is_configured(platform));
    }
}

#[tokio::test]
async fn each_platform_goes_to_its_own_provider() {
    let ground = Ground::new();
    let fcm = FakeFcm::start(Arc::clone(&ground.clock)).await.unwrap();
    let apns = FakeApns::start(Arc::clone(&ground.clock)).await.unwrap();
    let webhook = FakeWebhook::start(Arc::clone(&ground.clock)).await.unwrap();
    let smtp = FakeSmtp::start().await.unwrap();
    let providers = ground.providers(&ProviderSettings {
        fcm: fcm.settings(),
        apns: apns.settings(),
        webhook: webhook.settings(),
        smtp: smtp.settings(),
    });
    let counts = || {
        [
            fcm.messages().accepted().len(),
            apns.pushes().accepted().len(),
            webhook.pushes().accepted().len(),
            smtp.mails().len(),
        ]
    };
    let url = webhook.url("/hook");
    let tokens = [TOKEN, TOKEN, &url, "bob@example.net"];
    let mut expected = [0; 4];
    for (index, (platform, token)) in PLATFORMS.into_iter().zip(tokens).enumerate() {
        assert!(providers.is_configured(platform));
        assert_eq!(sent(&providers, &device(platform, token), &push()).await, "delivered");
        expected[index] = 1;
        assert_eq!(counts(), expected);
    }
}

#[tokio::test]
async fn wrong_settings_are_refused_by_name() {
    let ground = Ground::new();
    let refused = |settings: ProviderSettings| {
        Providers::open(&settings, &ground.clock).unwrap_err().to_string()
    };
    let fake = FakeFcm::start(Arc::clone(&ground.clock)).await.unwrap();
    let fcm = |change: fn(&mut FcmSettings)| {
        let mut fcm = fake.settings();
        change(&mut fcm);
        refused(ProviderSettings { fcm, ..ProviderSettings::default() })
    };
    let empty = "is empty; set it, or remove the whole section to run without this provider";
    assert_eq!(fcm(|fcm| fcm.project_id.clear()), format!("Fcm:ProjectId {empty}"));
    assert_eq!(fcm(|fcm| fcm.client_email.clear()), format!("Fcm:ClientEmail {empty}"));
    assert_eq!(fcm(|fcm| fcm.private_key = Secret::new("")), format!("Fcm:PrivateKey {empty}"));
    let key = "Fcm:PrivateKey is not an RSA private key in PEM form; \
               use `private_key` of the service account's file";
    assert_eq!(fcm(|fcm| fcm.private_key = Secret::new("nonsense")), key);
    let url = "Fcm:Endpoint is not a URL; write it like https://host:port";
    assert_eq!(fcm(|fcm| fcm.endpoint = "fcm.example.org".to_owned()), url);
    let timeout = "Fcm:TimeoutSeconds is 0; it must be between 1 and 25 seconds";
    assert_eq!(fcm(|fcm| fcm.timeout_seconds = 0), timeout);

    let fake = FakeApns::start(Arc::clone(&ground.clock)).await.unwrap();
    let apns = |change: fn(&mut ApnsSettings)| {
        let mut apns = fake.settings();
        change(&mut apns);
        refused(ProviderSettings { apns, ..ProviderSettings::default() })
    };
    assert_eq!(apns(|apns| apns.team_id.clear()), format!("Apns:TeamId {empty}"));
    assert_eq!(apns(|apns| apns.key_id.clear()), format!("Apns:KeyId {empty}"));
    assert_eq!(apns(|apns| apns.topic.clear()), format!("Apns:Topic {empty}"));
    let key = "Apns:PrivateKey is not a P-256 private key in PEM form; \
               use the content of the .p8 file";
    assert_eq!(apns(|apns| apns.private_key = Secret::new("nonsense")), key);

    let webhook = |secret: &str| {
        let webhook = WebhookSettings { secret: Secret::new(secret), ..WebhookSettings::default() };
        refused(ProviderSettings { webhook, ..ProviderSettings::default() })
    };
    assert_eq!(webhook("short"), "Webhook:Secret has 5 bytes; it needs at least 24");
    assert_eq!(webhook("whsec_!"), "Webhook:Secret is not base64 after whsec_");

    let smtp = |host: &str, from: &str| {
        let (host, from) = (host.to_owned(), from.to_owned());
        let smtp = SmtpSettings { host, from, ..SmtpSettings::default() };
        refused(ProviderSettings { smtp, ..ProviderSettings::default() })
    };
    assert_eq!(smtp("", "a@example.org"), format!("Smtp:Host {empty}"));
    assert_eq!(smtp("relay", ""), format!("Smtp:From {empty}"));
    let from = "Smtp:From is not a mail address; write it like Name <name@example.org>";
    assert_eq!(smtp("relay", "nobody"), from);
}

#[tokio::test]
async fn a_key_may_have_escaped_line_breaks() {
    let ground = Ground::new();
    let fake = FakeApns::start(Arc::clone(&ground.clock)).await.unwrap();
    let mut apns = fake.settings();
    let escaped = apns.private_key.expose().replace('\n', "\\n");
    assert!(!escaped.contains('\n'));
    apns.private_key = Secret::new(escaped);
    let providers = ground.providers(&ProviderSettings { apns, ..ProviderSettings::default() });
    let result = sent(&providers, &device(Platform::Apns, TOKEN), &push()).await;
    assert_eq!(result, "delivered");
}

#[test]
fn settings_are_read_by_their_names() {
    let text = r#"{
        "Fcm": { "ProjectId": "p", "ClientEmail": "c", "PrivateKey": "k" },
        "Apns": { "TeamId": "t", "KeyId": "i", "PrivateKey": "k", "Topic": "o", "Endpoint": "http://localhost" },
        "Webhook": { "Secret": "s", "AllowedHosts": ["a"] },
        "Smtp": { "Host": "h", "From": "f", "Security": "tls" }
    }"#;
    let settings: ProviderSettings = serde_json::from_str(text).unwrap();
    let fcm = settings.fcm;
    assert_eq!(fcm.endpoint, "https://fcm.googleapis.com");
    assert_eq!(fcm.token_endpoint, "https://oauth2.googleapis.com/token");
    assert_eq!(settings.apns.endpoint, "http://localhost");
    assert!(!settings.webhook.allow_private_addresses);
    assert_eq!(settings.smtp.security, notifications::delivery::SmtpSecurity::Tls);
}

#[test]
fn errors_of_all_sections_are_reported_at_once() {
    let flags = [
        "Fcm:ProjectId=p",
        "Apns:TeamId=t",
        "Webhook:Secret=a-short-secret",
        "Smtp:Host=relay",
        "Smtp:Security=ssl",
    ];
    let load = |flags: &[&str]| {
        let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
        SettingsBuilder::new().flags(&flags).load::<ProviderSettings>()
    };
    let text = load(&flags).unwrap_err().to_string();
    for name in ["Fcm:ClientEmail", "Apns:KeyId", "Webhook:Secret", "Smtp:From", "Smtp:Security"] {
        assert!(text.contains(name), "{name} in {text}");
    }
    assert!(!text.contains("a-short-secret"), "{text}");
    assert!(load(&[]).is_ok());
}
