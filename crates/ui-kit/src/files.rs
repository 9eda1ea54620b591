//! The files of the kit and of its gallery.

use crate::asset::Asset;

macro_rules! style {
    ($folder:literal, $name:literal) => {
        Asset::style(concat!("/_kit/", $name), include_bytes!(concat!("../", $folder, "/", $name)))
    };
}

macro_rules! script {
    ($folder:literal, $name:literal) => {
        Asset::script(concat!("/_kit/", $name), include_bytes!(concat!("../", $folder, "/", $name)))
    };
}

/// The files that pages load.
pub const KIT: &[Asset] = &[
    style!("kit", "tokens.css"),
    style!("kit", "base.css"),
    style!("kit", "controls.css"),
    style!("kit", "data.css"),
    script!("kit", "application.js"),
    script!("kit", "control.js"),
    script!("kit", "diff.js"),
    script!("kit", "editor.js"),
    script!("kit", "element.js"),
    script!("kit", "feedback.js"),
    script!("kit", "form.js"),
    script!("kit", "frame.js"),
    script!("kit", "highlight.js"),
    script!("kit", "icon.js"),
    script!("kit", "json_problem.js"),
    script!("kit", "plot.js"),
    script!("kit", "session.js"),
    script!("kit", "sign_in.js"),
    script!("kit", "stream.js"),
    script!("kit", "table.js"),
    script!("kit", "time.js"),
    script!("kit", "tree.js"),
];

/// The page that shows every element with its states.
pub const GALLERY: &[Asset] = &[
    Asset::html("/_kit", include_bytes!("../gallery/gallery.html")),
    style!("gallery", "gallery.css"),
    script!("gallery", "gallery.js"),
];

#[cfg(test)]
mod tests {
    use super::{GALLERY, KIT};

    /// Page, style sheets and scripts of an application on the kit stay under 300 KB; the kit may use half of that.
    const KIT_BYTES_MAX: usize = 150_000;

    #[test]
    fn the_kit_is_small() {
        let bytes: usize = KIT.iter().map(|asset| asset.body.len()).sum();
        assert!(bytes <= KIT_BYTES_MAX, "{bytes} bytes");
    }

    #[test]
    fn every_file_of_the_folders_is_served_and_imports_only_served_files() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/");
        let served: Vec<&str> = KIT.iter().chain(GALLERY).map(|asset| asset.path).collect();
        for folder in ["kit", "gallery"] {
            for file in std::fs::read_dir(format!("{root}{folder}")).unwrap() {
                let name = file.unwrap().file_name().into_string().unwrap();
                let path = format!("/_kit/{}", name.trim_end_matches("gallery.html"));
                let path = path.trim_end_matches('/');
                assert!(served.contains(&path), "{name} is not served");
            }
        }
        for asset in KIT.iter().chain(GALLERY) {
            let text = std::str::from_utf8(asset.body).unwrap();
            for (_, rest) in text.match_indices(" from \"./").map(|(at, _)| text.split_at(at)) {
                let name = rest.trim_start_matches(" from \"./").split('"').next().unwrap();
                assert!(served.contains(&format!("/_kit/{name}").as_str()), "{name}");
            }
        }
    }

    #[test]
    fn modules_are_short_and_say_what_they_own() {
        for asset in KIT.iter().chain(GALLERY).filter(|asset| asset.path.ends_with(".js")) {
            let text = std::str::from_utf8(asset.body).unwrap();
            assert!(text.starts_with("// "), "{} has no opening comment", asset.path);
            assert!(text.lines().count() <= 400, "{} is too long", asset.path);
        }
    }
}
