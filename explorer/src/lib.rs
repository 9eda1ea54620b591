//! The data explorer: the static files that the gateway serves at `/_explorer/`.
//!
//! Owns which files there are and their paths. Does not own serving them, sessions or data: those belong to the
//! gateway, and the pages use only its documented routes.

use ui_kit::Asset;

macro_rules! script {
    ($name:literal) => {
        Asset::script(concat!("/_explorer/", $name), include_bytes!(concat!("../page/", $name)))
    };
}

/// The files of the explorer. They load those of the UI kit too.
pub const PAGES: &[Asset] = &[
    Asset::html("/_explorer", include_bytes!("../page/index.html")),
    Asset::style("/_explorer/explorer.css", include_bytes!("../page/explorer.css")),
    script!("account.js"),
    script!("api.js"),
    script!("container_forms.js"),
    script!("feed.js"),
    script!("index_cost.js"),
    script!("item_editor.js"),
    script!("items.js"),
    script!("main.js"),
    script!("partitions.js"),
    script!("processor_code.js"),
    script!("processor_programs.js"),
    script!("processors.js"),
    script!("queries.js"),
    script!("query_plan.js"),
    script!("query_result.js"),
    script!("requests.js"),
    script!("script_run.js"),
    script!("scripts.js"),
    script!("sign_in.js"),
    script!("suggest.js"),
    script!("transfer.js"),
    script!("usage.js"),
    script!("versions.js"),
    script!("what_if.js"),
];

#[cfg(test)]
mod tests {
    use super::PAGES;

    /// What a browser loads without compression.
    const PAGE_BYTES_MAX: usize = 300_000;

    #[test]
    fn the_page_with_all_its_files_is_small() {
        let bytes: usize = PAGES.iter().chain(ui_kit::KIT).map(|asset| asset.body.len()).sum();
        assert!(bytes < PAGE_BYTES_MAX, "{bytes} bytes");
    }

    #[test]
    fn every_file_is_served_short_and_says_what_it_owns() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/page");
        let files = std::fs::read_dir(folder).unwrap().count();
        assert_eq!(files, PAGES.len());
        for asset in PAGES.iter().filter(|asset| asset.path.ends_with(".js")) {
            let text = std::str::from_utf8(asset.body).unwrap();
            assert!(text.starts_with("// "), "{} has no opening comment", asset.path);
            assert!(text.lines().count() <= 400, "{} is too long", asset.path);
        }
    }
}
