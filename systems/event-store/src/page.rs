//! The page of operators: the static files of `page/`, compiled into the program.
//!
//! Owns which files there are and their paths. Does not own serving them (`service`).

use service::http::Asset;

macro_rules! script {
    ($name:literal) => {
        Asset::script(concat!("/page/", $name), include_bytes!(concat!("../page/", $name)))
    };
}

/// The files of the page, for [`crate::EventStoreSystem::router`].
pub const PAGES: &[Asset] = &[
    Asset::html("/", include_bytes!("../page/index.html")),
    Asset::style("/page/page.css", include_bytes!("../page/page.css")),
    script!("main.js"),
    script!("conflicts.js"),
    script!("event.js"),
    script!("events.js"),
    script!("position.js"),
    script!("projections.js"),
    script!("tags.js"),
    script!("tenant.js"),
    script!("tenants.js"),
];
