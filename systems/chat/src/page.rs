//! The page of the chat: the static files of `page/`, compiled into the program.
//!
//! Owns which files there are and their paths. Does not own serving them (`service`).

use service::http::Asset;

const INDEX: &[u8] = include_bytes!("../page/index.html");

macro_rules! script {
    ($name:literal) => {
        Asset::script(concat!("/page/", $name), include_bytes!(concat!("../page/", $name)))
    };
}

/// The files of the page, for [`crate::Chat::router`].
pub const PAGES: &[Asset] = &[
    Asset::html("/", INDEX),
    // Where a sign-in goes on that names no other path.
    Asset::html("/chat", INDEX),
    Asset::style("/page/page.css", include_bytes!("../page/page.css")),
    script!("main.js"),
    script!("calls.js"),
    script!("code.js"),
    script!("composer.js"),
    script!("conversation.js"),
    script!("hub.js"),
    script!("message.js"),
    script!("outbox.js"),
    script!("people.js"),
    script!("rooms.js"),
    script!("search.js"),
];
