//! Mail: the message, and each class of reply.

use notifications::Platform;
use notifications::delivery::fake::{FakeSmtp, ResponseGate, SmtpStage};
use notifications::delivery::{ProviderSettings, Providers, SmtpSecurity, SmtpSettings};

use service::settings::Secret;

use super::ground::{Ground, device, push, sent};

const ADDRESS: &str = "bob@example.net";

async fn stage() -> (FakeSmtp, Providers) {
    stage_with(|_| {}).await
}

async fn stage_with(change: impl FnOnce(&mut SmtpSettings)) -> (FakeSmtp, Providers) {
    let fake = FakeSmtp::start().await.unwrap();
    let mut settings = fake.settings();
    change(&mut settings);
    let settings = ProviderSettings { smtp: settings, ..ProviderSettings::default() };
    (fake, Ground::new().providers(&settings))
}

async fn send(providers: &Providers) -> String {
    sent(providers, &device(Platform::Mail, ADDRESS), &push()).await
}

async fn check(stage_of_reply: SmtpStage, reply: &str, expected: &str) {
    let (fake, providers) = stage().await;
    fake.next_reply(stage_of_reply, reply);
    assert_eq!(send(&providers).await, expected, "{reply}");
    assert_eq!(fake.mails(), [], "{reply}");
    assert_eq!(send(&providers).await, "delivered", "the next mail is not affected");
    assert_eq!(fake.mails().len(), 1);
}

#[tokio::test]
async fn a_push_arrives_as_a_mail() {
    let (fake, providers) = stage().await;
    assert_eq!(send(&providers).await, "delivered");
    let mail = fake.mails().remove(0);
    assert_eq!(mail.from, "demo@example.org");
    assert_eq!(mail.to, ADDRESS);
    let (headers, text) = mail.text.split_once("\r\n\r\n").unwrap();
    for header in [
        "From: Demo <demo@example.org>",
        "To: bob@example.net",
        "Subject: alice liked your post",
        "Date: Wed, 02 Jul 2025 15:00:00 +0000",
        "Auto-Submitted: auto-generated",
        "Content-Type: text/plain; charset=utf-8",
    ] {
        assert!(headers.lines().any(|line| line == header), "{header} in\n{headers}");
    }
    assert!(headers.contains("Message-ID: <") && headers.contains("@example.org>"), "{headers}");
    assert_eq!(text.trim_end(), "A walk in the hills\r\n\r\nasora://post/p1");
}

#[tokio::test]
async fn a_subject_cannot_smuggle_headers() {
    let (fake, providers) = stage().await;
    let mut odd = push();
    odd.title = "hello\r\nBcc: all@example.org".to_owned();
    odd.body = ".\r\nQUIT\r\n<script>".to_owned();
    assert_eq!(sent(&providers, &device(Platform::Mail, ADDRESS), &odd).await, "delivered");
    let mail = fake.mails().remove(0);
    assert!(!mail.text.lines().any(|line| line.starts_with("Bcc:")), "{}", mail.text);
    assert!(mail.text.contains("Subject: hello Bcc: all@example.org\r\n"), "{}", mail.text);
    assert!(mail.text.contains("\r\n.\r\nQUIT\r\n<script>\r\n"), "{}", mail.text);
}

#[tokio::test]
async fn text_in_all_alphabets_arrives() {
    let (fake, providers) = stage().await;
    let mut push = push();
    push.title = "Åsa gillar ditt inlägg \u{1F600}".to_owned();
    assert_eq!(sent(&providers, &device(Platform::Mail, ADDRESS), &push).await, "delivered");
    let text = fake.mails().remove(0).text;
    assert!(text.contains("Subject: =?utf-8?b?"), "{text}");
}

#[tokio::test]
async fn an_address_that_does_not_exist_is_invalid() {
    check(SmtpStage::Recipient, "550 5.1.1 no such user", "invalid token").await;
    check(SmtpStage::Recipient, "550 no such user", "invalid token").await;
    check(SmtpStage::Recipient, "551 5.1.6 moved", "invalid token").await;
    check(SmtpStage::Recipient, "553 5.1.3 no address", "invalid token").await;
    check(SmtpStage::Recipient, "550 5.2.1 switched off", "invalid token").await;
    let (fake, providers) = stage().await;
    let device = device(Platform::Mail, "not-an-address");
    assert_eq!(sent(&providers, &device, &push()).await, "invalid token");
    assert_eq!(fake.conversations(), 0);
}

#[tokio::test]
async fn temporary_failures_are_tried_again() {
    check(SmtpStage::Greeting, "421 4.3.2 closing", "retry: smtp: reply 421 4.3.2").await;
    check(SmtpStage::Login, "454 4.7.0 later", "retry: smtp: reply 454 4.7.0").await;
    check(SmtpStage::Sender, "451 4.3.0 later", "retry: smtp: reply 451 4.3.0").await;
    check(SmtpStage::Recipient, "450 4.2.1 greylisted", "retry: smtp: reply 450 4.2.1").await;
    check(SmtpStage::Recipient, "452 4.2.2 full", "retry: smtp: reply 452 4.2.2").await;
    check(SmtpStage::Text, "452 full", "retry: smtp: reply 452").await;
}

#[tokio::test]
async fn permanent_failures_are_not_tried_again() {
    check(SmtpStage::Sender, "552 5.3.4 too big", "permanent: smtp: reply 552 5.3.4").await;
    check(SmtpStage::Text, "554 5.6.0 no", "permanent: smtp: reply 554 5.6.0").await;
    // A policy is not a missing mailbox.
    check(SmtpStage::Text, "550 5.7.1 spam", "permanent: smtp: reply 550 5.7.1").await;
}

#[tokio::test]
async fn a_refused_login_is_an_alarm() {
    let advice = "check Smtp:Username and Smtp:Password";
    let expected = format!("alarm: smtp: reply 535 5.7.8; {advice}");
    check(SmtpStage::Login, "535 5.7.8 no", &expected).await;
    let (_fake, providers) = stage_with(|settings| settings.password = Secret::new("wrong")).await;
    assert_eq!(send(&providers).await, expected);
    let (_fake, providers) = stage_with(|settings| settings.username.clear()).await;
    let expected = format!("alarm: smtp: reply 530 5.7.0; {advice}");
    assert_eq!(send(&providers).await, expected);
}

#[tokio::test]
async fn a_relay_without_tls_gets_nothing_when_tls_is_required() {
    let (fake, providers) = stage_with(|settings| settings.security = SmtpSecurity::StartTls).await;
    let result = send(&providers).await;
    assert!(result.starts_with("alarm: smtp: "), "{result}");
    assert_eq!(fake.mails(), []);
}

#[tokio::test]
async fn a_lost_connection_is_tried_again() {
    let stages = [SmtpStage::Greeting, SmtpStage::Login, SmtpStage::Recipient, SmtpStage::Text];
    for stage_of_drop in stages {
        let (fake, providers) = stage().await;
        fake.next_drop(stage_of_drop);
        let expected = "retry: smtp: no connection, or a broken one";
        assert_eq!(send(&providers).await, expected, "{stage_of_drop:?}");
        assert_eq!(send(&providers).await, "delivered");
    }
}

#[tokio::test]
async fn a_timeout_is_tried_again() {
    let (fake, providers) = stage_with(|settings| settings.timeout_seconds = 1).await;
    let gate = ResponseGate::default();
    fake.next_hold(SmtpStage::Recipient, &gate);
    assert_eq!(send(&providers).await, "retry: smtp: no response in time");
    gate.open();
}
