//! Providers behind TLS: a private certificate authority, refused certificates, and the negotiated protocol.

use std::sync::Arc;

use notifications::Platform;
use notifications::delivery::fake::{FakeApns, FakeFcm, FakeSmtp, FakeWebhook};
use notifications::delivery::{ProviderSettings, Providers, SmtpSecurity};

use super::front::{Authority, Begin, Front, Paper};
use super::ground::{Ground, TOKEN, device, push, sent};

const OTHER_NAME: Paper = Paper { name: "elsewhere.example", is_expired: false };
const EXPIRED: Paper = Paper { name: "localhost", is_expired: true };
const HTTP: &[&str] = &["h2", "http/1.1"];

/// The port of a fake's endpoint.
fn port_of(endpoint: &str) -> u16 {
    endpoint.rsplit(':').next().unwrap().parse().unwrap()
}

/// Whether the settings name the authority's file.
#[derive(Clone, Copy)]
enum Trust {
    Given,
    NotGiven,
}

impl Trust {
    fn ca_file(self, authority: &Authority) -> String {
        match self {
            Self::Given => authority.ca_file(),
            Self::NotGiven => String::new(),
        }
    }
}

/// Delivery to a fake behind TLS, and the result of one push.
struct Outcome {
    result: String,
    /// Requests or mails the fake got.
    received: usize,
    front: Front,
}

async fn by_apns(paper: Paper, protocols: &[&str], trust: Trust) -> Outcome {
    let (ground, authority) = (Ground::new(), Authority::new());
    let fake = FakeApns::start(Arc::clone(&ground.clock)).await.unwrap();
    let mut apns = fake.settings();
    let behind = port_of(&apns.endpoint);
    let front = Front::start(&authority, paper, protocols, Begin::AtOnce, behind).await;
    apns.endpoint = front.url();
    apns.ca_file = trust.ca_file(&authority);
    let providers = ground.providers(&ProviderSettings { apns, ..ProviderSettings::default() });
    let result = sent(&providers, &device(Platform::Apns, TOKEN), &push()).await;
    assert_eq!(fake.pushes().violations(), Vec::<String>::new());
    assert!(fake.pushes().received().iter().all(|received| received.is_http2));
    Outcome { result, received: fake.pushes().received().len(), front }
}

#[tokio::test]
async fn nt_a10_apns_is_called_by_tls_and_agrees_on_http2() {
    let outcome = by_apns(Paper::RIGHT, HTTP, Trust::Given).await;
    assert_eq!((outcome.result.as_str(), outcome.received), ("delivered", 1));
    assert_eq!(outcome.front.protocols(), ["h2"]);
}

#[tokio::test]
async fn apns_with_an_invalid_certificate_needs_an_operator() {
    for (paper, trust, wrong) in [
        (Paper::RIGHT, Trust::NotGiven, "its issuer is not trusted"),
        (OTHER_NAME, Trust::Given, "it is for another host name"),
        (EXPIRED, Trust::Given, "it has expired"),
    ] {
        let outcome = by_apns(paper, HTTP, trust).await;
        let expected = format!(
            "alarm: apns: the certificate of the server is refused: {wrong}; \
             check Apns:Endpoint and Apns:CaFile"
        );
        assert_eq!((outcome.result, outcome.received), (expected, 0));
        assert_eq!(outcome.front.protocols(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn apns_without_http2_is_no_apns() {
    let outcome = by_apns(Paper::RIGHT, &["http/1.1"], Trust::Given).await;
    assert_eq!((outcome.result.as_str(), outcome.received), ("retry: apns: no connection", 0));
}

async fn by_fcm(paper: Paper, trust: Trust) -> Outcome {
    let (ground, authority) = (Ground::new(), Authority::new());
    let fake = FakeFcm::start(Arc::clone(&ground.clock)).await.unwrap();
    let mut fcm = fake.settings();
    let behind = port_of(&fcm.endpoint);
    let front = Front::start(&authority, paper, HTTP, Begin::AtOnce, behind).await;
    fcm.endpoint = front.url();
    fcm.token_endpoint = format!("{}/token", front.url());
    fcm.ca_file = trust.ca_file(&authority);
    let providers = ground.providers(&ProviderSettings { fcm, ..ProviderSettings::default() });
    let result = sent(&providers, &device(Platform::Fcm, TOKEN), &push()).await;
    assert_eq!(fake.messages().violations(), Vec::<String>::new());
    assert_eq!(fake.tokens().violations(), Vec::<String>::new());
    let received = fake.messages().received().len() + fake.tokens().received().len();
    Outcome { result, received, front }
}

#[tokio::test]
async fn fcm_and_its_token_endpoint_are_called_by_tls() {
    let outcome = by_fcm(Paper::RIGHT, Trust::Given).await;
    assert_eq!((outcome.result.as_str(), outcome.received), ("delivered", 2));
    assert_eq!(outcome.front.protocols(), ["h2", "h2"]);
    let refused = by_fcm(Paper::RIGHT, Trust::NotGiven).await;
    let expected = "alarm: fcm token endpoint: the certificate of the server is refused: \
                    its issuer is not trusted; check Fcm:Endpoint and Fcm:CaFile";
    assert_eq!((refused.result.as_str(), refused.received), (expected, 0));
}

async fn by_webhook(paper: Paper, trust: Trust) -> Outcome {
    let (ground, authority) = (Ground::new(), Authority::new());
    let fake = FakeWebhook::start(Arc::clone(&ground.clock)).await.unwrap();
    let behind = port_of(&fake.url(""));
    let front = Front::start(&authority, paper, HTTP, Begin::AtOnce, behind).await;
    let mut webhook = fake.settings();
    webhook.ca_file = trust.ca_file(&authority);
    let providers = ground.providers(&ProviderSettings { webhook, ..ProviderSettings::default() });
    let url = format!("{}/hook", front.url());
    let result = sent(&providers, &device(Platform::Webhook, &url), &push()).await;
    assert_eq!(fake.pushes().violations(), Vec::<String>::new());
    Outcome { result, received: fake.pushes().received().len(), front }
}

#[tokio::test]
async fn webhooks_are_called_by_tls_and_a_refused_certificate_is_tried_again() {
    let outcome = by_webhook(Paper::RIGHT, Trust::Given).await;
    assert_eq!((outcome.result.as_str(), outcome.received), ("delivered", 1));
    for (paper, trust, wrong) in [
        (Paper::RIGHT, Trust::NotGiven, "its issuer is not trusted"),
        (EXPIRED, Trust::Given, "it has expired"),
    ] {
        let outcome = by_webhook(paper, trust).await;
        let expected = format!("retry: webhook: the certificate of the server is refused: {wrong}");
        assert_eq!((outcome.result, outcome.received), (expected, 0));
    }
}

async fn by_mail(paper: Paper, begin: Begin, trust: Trust) -> Outcome {
    let (ground, authority) = (Ground::new(), Authority::new());
    let fake = FakeSmtp::start().await.unwrap();
    let mut smtp = fake.settings();
    let front = Front::start(&authority, paper, &[], begin, smtp.port).await;
    smtp.host = "localhost".to_owned();
    smtp.port = front.port;
    smtp.security = match begin {
        Begin::AtOnce => SmtpSecurity::Tls,
        Begin::StartTls => SmtpSecurity::StartTls,
    };
    smtp.ca_file = trust.ca_file(&authority);
    let providers = ground.providers(&ProviderSettings { smtp, ..ProviderSettings::default() });
    let result = sent(&providers, &device(Platform::Mail, "bob@example.net"), &push()).await;
    Outcome { result, received: fake.mails().len(), front }
}

#[tokio::test]
async fn mail_goes_by_tls_at_once_or_after_starttls() {
    for (begin, in_the_open) in
        [(Begin::AtOnce, vec![]), (Begin::StartTls, vec!["EHLO", "STARTTLS"])]
    {
        let outcome = by_mail(Paper::RIGHT, begin, Trust::Given).await;
        assert_eq!((outcome.result.as_str(), outcome.received), ("delivered", 1));
        assert_eq!(outcome.front.plain(), in_the_open, "the login and the mail are not among it");
    }
}

#[tokio::test]
async fn a_relay_with_an_invalid_certificate_gets_no_mail() {
    for begin in [Begin::AtOnce, Begin::StartTls] {
        for (paper, trust, wrong) in [
            (Paper::RIGHT, Trust::NotGiven, "its issuer is not trusted"),
            (OTHER_NAME, Trust::Given, "it is for another host name"),
            (EXPIRED, Trust::Given, "it has expired"),
        ] {
            let outcome = by_mail(paper, begin, trust).await;
            let expected = format!(
                "alarm: smtp: the certificate of the relay is refused: {wrong}; \
                 check Smtp:Host and Smtp:CaFile"
            );
            assert_eq!((outcome.result, outcome.received), (expected, 0));
        }
    }
}

#[tokio::test]
async fn a_file_without_certificates_is_refused_by_the_name_of_its_setting() {
    let ground = Ground::new();
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("key.pem").to_str().unwrap().to_owned();
    std::fs::write(&wrong, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
        .unwrap();
    let missing = folder.path().join("none.pem").to_str().unwrap().to_owned();
    let (fcm, apns) = (
        FakeFcm::start(Arc::clone(&ground.clock)).await.unwrap(),
        FakeApns::start(Arc::clone(&ground.clock)).await.unwrap(),
    );
    let webhook = FakeWebhook::start(Arc::clone(&ground.clock)).await.unwrap();
    let smtp = FakeSmtp::start().await.unwrap();
    for (file, said) in [(&wrong, "has no certificate"), (&missing, "cannot be read")] {
        let mut all: [(&str, ProviderSettings); 4] = Default::default();
        all[0] = ("Fcm", ProviderSettings { fcm: fcm.settings(), ..Default::default() });
        all[0].1.fcm.ca_file.clone_from(file);
        all[1] = ("Apns", ProviderSettings { apns: apns.settings(), ..Default::default() });
        all[1].1.apns.ca_file.clone_from(file);
        all[2] =
            ("Webhook", ProviderSettings { webhook: webhook.settings(), ..Default::default() });
        all[2].1.webhook.ca_file.clone_from(file);
        all[3] = ("Smtp", ProviderSettings { smtp: smtp.settings(), ..Default::default() });
        all[3].1.smtp.security = SmtpSecurity::Tls;
        all[3].1.smtp.ca_file.clone_from(file);
        for (section, settings) in all {
            let refused = Providers::open(&settings, &ground.clock).unwrap_err().to_string();
            assert!(refused.starts_with(&format!("{section}:CaFile is '{file}'")), "{refused}");
            assert!(refused.contains(said), "{refused}");
        }
    }
}
