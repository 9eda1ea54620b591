//! CH-085: the cookie of a session, its sliding end, and its end in every process.

use service::identity::{IdentityMode, IdentitySettings};
use service::settings::Secret;

use crate::site::{Cookies, Interface, cookies_of};
use crate::world::{ALICE, Embedded, OverGateway, Way, World, settings};

const HOUR: u64 = 3_600;

/// As instances of one service have them: sessions only, with one secret.
fn identity() -> IdentitySettings {
    IdentitySettings {
        mode: IdentityMode::Session,
        secret: Secret::new("0123456789abcdef0123456789abcdef"),
        ..IdentitySettings::default()
    }
}

async fn status(api: &Interface, cookies: &Cookies) -> u16 {
    api.call_with(cookies, "GET", "/api/auth/me", None).await.0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_085_a_session_slides_for_twelve_hours_in_a_guarded_cookie() {
    let world = World::new::<Embedded>().await;
    let api = Interface::with(&world.chat, &world.environment, &identity()).await;
    let first = api.sign_in(ALICE, &world.texts).await;
    let session = first.set.iter().find(|line| line.starts_with("__Host-session=")).unwrap();
    for attribute in ["HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=43200"] {
        assert!(session.split("; ").any(|one| one == attribute), "{attribute}: {session}");
    }
    // Used within its time, it is prolonged; the former cookie ends at its own time.
    world.travel(11 * HOUR);
    let used = api.respond_with(&first, "GET", "/api/auth/me", None).await;
    assert_eq!(used.status().as_u16(), 200);
    let prolonged = cookies_of(&used);
    world.travel(2 * HOUR);
    assert_eq!((status(&api, &first).await, status(&api, &prolonged).await), (401, 200));
    // Not used, it ends.
    world.travel(12 * HOUR);
    assert_eq!(status(&api, &prolonged).await, 401);
}

async fn ends_everywhere<W: Way>() {
    let world = World::new::<W>().await;
    let one = Interface::with(&world.chat, &world.environment, &identity()).await;
    let other = world.reopened(settings()).await.unwrap();
    let other = Interface::with(&other, &world.environment, &identity()).await;
    let cookies = one.sign_in(ALICE, &world.texts).await;
    assert_eq!((status(&one, &cookies).await, status(&other, &cookies).await), (200, 200));
    assert_eq!(one.call_with(&cookies, "POST", "/api/auth/logout", None).await.0, 200);
    assert_eq!(status(&one, &cookies).await, 401, "a copy of the cookie is ended at once");
    // The other process asks the data again after a moment.
    world.travel(60);
    assert_eq!(status(&other, &cookies).await, 401);
    // Also a process that starts later.
    let later = world.reopened(settings()).await.unwrap();
    let later = Interface::with(&later, &world.environment, &identity()).await;
    assert_eq!(status(&later, &cookies).await, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_085_a_logout_ends_the_session_in_every_process() {
    ends_everywhere::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_085_a_logout_ends_the_session_in_every_process_over_the_gateway() {
    ends_everywhere::<OverGateway>().await;
}
