//! The notification centre: the static files of `page/`, compiled into the program.
//!
//! Owns which files there are and their paths. Does not own serving them (`service`).

use service::http::Asset;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! script {
    ($name:literal) => {
        Asset::new(concat!("/page/", $name), SCRIPT, include_bytes!(concat!("../page/", $name)))
    };
}

/// The files of the page, for [`crate::Notifications::router`].
pub const PAGES: &[Asset] = &[
    Asset::new("/", HTML, include_bytes!("../page/index.html")),
    Asset::new("/page/page.css", CSS, include_bytes!("../page/page.css")),
    script!("main.js"),
    script!("api.js"),
    script!("devices.js"),
    script!("element.js"),
    script!("list.js"),
    script!("preferences.js"),
    script!("send.js"),
    script!("sign_in.js"),
    script!("stream.js"),
];
