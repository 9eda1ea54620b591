//! The page: static files of `page/`, compiled into the program.
//!
//! Owns which files there are and their paths. Does not own serving them (`service`).

use service::http::Asset;

macro_rules! script {
    ($name:literal) => {
        Asset::script(concat!("/page/", $name), include_bytes!(concat!("../page/", $name)))
    };
}

/// The files of the page, for [`crate::Worlds::router`].
pub const WORLD_PAGES: &[Asset] = &[
    Asset::html("/", include_bytes!("../page/index.html")),
    Asset::style("/page/page.css", include_bytes!("../page/page.css")),
    script!("main.js"),
    script!("calls.js"),
    script!("entity.js"),
    script!("world.js"),
];
