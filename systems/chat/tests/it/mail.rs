//! Codes and reminders by mail: a relay on a socket, its refusals, and numbers beside it.

use std::sync::Arc;
use std::time::Duration;

use chat::{
    AddressSender, ChatSettings, DeliveryAddress, ErrorKind, OutgoingText, TextSender, UserName,
};
use client::Environment;
use service::mail::{FakeSmtp, ReceivedMail, SmtpStage};

use crate::world::{ALICE, Embedded, World, settings};

async fn stage() -> (FakeSmtp, ChatSettings) {
    let relay = FakeSmtp::start().await.unwrap();
    let mut settings = settings();
    settings.smtp = relay.settings();
    (relay, settings)
}

fn sender(settings: &ChatSettings) -> Arc<dyn TextSender> {
    AddressSender::open(settings, &Environment::system()).unwrap()
}

fn text_to(address: DeliveryAddress) -> OutgoingText {
    let text = "New message in #general".to_owned();
    OutgoingText { address, subject: text.clone(), text }
}

fn mail_to(to: &str) -> OutgoingText {
    text_to(DeliveryAddress::Mail(to.to_owned()))
}

async fn wait_for_mails(relay: &FakeSmtp, count: usize) -> Vec<ReceivedMail> {
    for _ in 0..10_000 {
        if relay.mails().len() >= count {
            break;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    relay.mails()
}

#[tokio::test]
async fn a_code_comes_by_mail_and_signs_in() {
    let (relay, settings) = stage().await;
    let world = World::new::<Embedded>().await;
    let parts = chat::ChatParts::default();
    let environment = Environment::system();
    let chat = chat::Chat::open(world.account.clone(), settings, environment, parts).await.unwrap();
    let alice = UserName::parse(ALICE).unwrap();
    chat.start_sign_in(&alice).await.unwrap();
    let mails = wait_for_mails(&relay, 1).await;
    let ReceivedMail { from, to, text } = &mails[0];
    assert_eq!((from.as_str(), to.as_str()), ("demo@example.org", ALICE));
    assert!(text.contains("Subject: Your sign-in code\r\n"), "{text}");
    assert!(text.contains("Auto-Submitted: auto-generated\r\n"), "{text}");
    let (_, sentence) = text.split_once("Your code is ").unwrap();
    let code: String = sentence.chars().take(6).collect();
    assert_eq!(chat.verify_sign_in(&alice, &code).await.unwrap().user_name, ALICE);
    assert_eq!(relay.mails().len(), 1, "one code, one mail");
}

#[tokio::test]
async fn a_refused_mailbox_is_final_and_a_busy_relay_is_not() {
    let (relay, settings) = stage().await;
    let sender = sender(&settings);
    relay.next_reply(SmtpStage::Recipient, "550 5.1.1 nobody of that name");
    let gone = sender.send(&mail_to("gone@example.org")).await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::Invalid);
    assert!(!gone.to_string().contains("nobody"), "no text from outside: {gone}");
    relay.next_reply(SmtpStage::Text, "451 4.3.0 later");
    let busy = sender.send(&mail_to("busy@example.org")).await.unwrap_err();
    assert_eq!(busy.kind(), ErrorKind::Unavailable);
    relay.next_reply(SmtpStage::Login, "535 5.7.8 unknown");
    let login = sender.send(&mail_to("any@example.org")).await.unwrap_err();
    assert!(login.to_string().contains("Smtp:Username"), "{login}");
    sender.send(&mail_to("there@example.org")).await.unwrap();
    assert_eq!(relay.mails().len(), 1);
}

#[tokio::test]
async fn a_busy_relay_gets_the_mail_again() {
    let (relay, settings) = stage().await;
    relay.next_reply(SmtpStage::Text, "451 4.3.0 later");
    relay.next_drop(SmtpStage::Greeting);
    let world = World::new::<Embedded>().await;
    let parts = chat::ChatParts::default();
    // Here a wait moves the clock instead of taking time.
    let environment = world.environment.clone();
    let chat = chat::Chat::open(world.account.clone(), settings, environment, parts).await.unwrap();
    chat.start_sign_in(&UserName::parse(ALICE).unwrap()).await.unwrap();
    let mails = wait_for_mails(&relay, 1).await;
    assert_eq!(mails.len(), 1);
    assert!(relay.conversations() >= 3, "{}", relay.conversations());
}

#[tokio::test]
async fn numbers_need_the_operators_address_and_addresses_a_way() {
    let (relay, settings) = stage().await;
    let number = text_to(DeliveryAddress::Mobile("+4915112345678".to_owned()));
    sender(&settings).send(&number).await.unwrap();
    assert_eq!((relay.mails().len(), relay.conversations()), (0, 0));
    let mut with_webhook = settings.clone();
    // Nobody listens there: the number went to the operator's address.
    with_webhook.delivery.webhook_url = "http://127.0.0.1:9/".to_owned();
    let refused = sender(&with_webhook).send(&number).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
    sender(&with_webhook).send(&mail_to("there@example.org")).await.unwrap();
    assert_eq!(relay.mails().len(), 1);
}

#[test]
fn a_relay_without_a_sender_is_refused_by_its_setting() {
    let mut settings = settings();
    settings.smtp.host = "mail.example.org".to_owned();
    let error = AddressSender::open(&settings, &Environment::system()).err().unwrap();
    assert!(error.to_string().starts_with("Smtp:From is empty"), "{error}");
    settings.smtp.from = "nobody".to_owned();
    let error = AddressSender::open(&settings, &Environment::system()).err().unwrap();
    assert!(error.to_string().starts_with("Smtp:From is not a mail address"), "{error}");
}
