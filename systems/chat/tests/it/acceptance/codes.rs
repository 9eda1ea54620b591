//! CH-A3, CH-A4, CH-A5: one-time codes.

use chat::ErrorKind;

use crate::world::{ALICE, Way, World, user};

pub(crate) async fn ch_a3_a_code_signs_in_once_and_is_stored_as_a_hash<W: Way>() {
    let world = World::new::<W>().await;
    world.chat.start_sign_in(&user(ALICE)).await.unwrap();
    let code = world.texts.code_of(ALICE).await;
    assert!(code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
    let stored = world.ephemeral.code(ALICE).await.unwrap().unwrap();
    assert!(stored.starts_with("otp1$argon2id$"), "{stored}");
    assert!(!stored.contains(&code));
    let signed_in = world.chat.verify_sign_in(&user(ALICE), &code).await.unwrap();
    assert_eq!(signed_in.user_name, ALICE);
    let again = world.chat.verify_sign_in(&user(ALICE), &code).await.unwrap_err();
    assert_eq!(again.kind(), ErrorKind::SignInRefused);
    assert_eq!(world.ephemeral_keys().await, Vec::<String>::new(), "a used code leaves nothing");
}

pub(crate) async fn ch_a4_five_wrong_codes_lock_until_the_window_ends<W: Way>() {
    let world = World::new::<W>().await;
    let alice = user(ALICE);
    world.chat.start_sign_in(&alice).await.unwrap();
    let code = world.texts.code_of(ALICE).await;
    let wrong = if code == "000000" { "000001" } else { "000000" };
    for _ in 0..5 {
        let refused = world.chat.verify_sign_in(&alice, wrong).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::SignInRefused);
    }
    let locked = world.chat.verify_sign_in(&alice, &code).await.unwrap_err();
    assert_eq!(locked.kind(), ErrorKind::SignInRefused);
    // A new code does not open the lock.
    world.texts.clear();
    world.chat.start_sign_in(&alice).await.unwrap();
    let newer = world.texts.code_of(ALICE).await;
    assert!(world.chat.verify_sign_in(&alice, &newer).await.is_err());
    world.travel(301);
    world.texts.clear();
    world.chat.start_sign_in(&alice).await.unwrap();
    let newest = world.texts.code_of(ALICE).await;
    world.chat.verify_sign_in(&alice, &newest).await.unwrap();
}

pub(crate) async fn ch_a5_an_unknown_user_gets_the_same_answer_and_no_key<W: Way>() {
    let world = World::new::<W>().await;
    world.chat.start_sign_in(&user("mallory@x")).await.unwrap();
    assert!(world.chat.verify_sign_in(&user("mallory@x"), "123456").await.is_err());
    assert_eq!(world.ephemeral_keys().await, Vec::<String>::new());
    let disabled = chat::UserChange { enabled: Some(false), ..chat::UserChange::default() };
    world.chat.change_user(ALICE, disabled).await.unwrap();
    world.chat.start_sign_in(&user(ALICE)).await.unwrap();
    assert_eq!(world.ephemeral_keys().await, Vec::<String>::new(), "a disabled user gets no code");
}
