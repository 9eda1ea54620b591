//! The texts of the page in nine languages: the files of `strings/`, compiled into the program.

use std::collections::BTreeMap;

/// A language and the text of its file.
const LANGUAGES: [(&str, &str); 9] = [
    ("en", include_str!("../strings/en.json")),
    ("pl", include_str!("../strings/pl.json")),
    ("de", include_str!("../strings/de.json")),
    ("cs", include_str!("../strings/cs.json")),
    ("sk", include_str!("../strings/sk.json")),
    ("uk", include_str!("../strings/uk.json")),
    ("be", include_str!("../strings/be.json")),
    ("lt", include_str!("../strings/lt.json")),
    ("ru", include_str!("../strings/ru.json")),
];

/// The language of a name such as `pl` or `pl-PL`.
pub(crate) fn find_language(name: &str) -> Option<&'static str> {
    let primary = name.trim().split(['-', '_']).next()?.to_ascii_lowercase();
    LANGUAGES.into_iter().map(|(language, _)| language).find(|language| *language == primary)
}

/// The first language of an `accept-language` header that there is; English if there is none.
pub(crate) fn choose_language(accepted: &str) -> &'static str {
    let mut wanted: Vec<(&str, f32)> = accepted
        .split(',')
        .map(|part| {
            let (name, quality) = part.split_once(";q=").unwrap_or((part, "1"));
            (name, quality.trim().parse().unwrap_or(0.0))
        })
        .collect();
    // Stable: equal ones keep the order of the header.
    wanted.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    wanted.into_iter().find_map(|(name, _)| find_language(name)).unwrap_or("en")
}

/// The texts of a language.
pub(crate) fn texts(language: &str) -> BTreeMap<String, String> {
    let found = LANGUAGES.into_iter().find(|(name, _)| *name == language);
    found.and_then(|(_, text)| serde_json::from_str(text).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_the_same_texts() {
        let english: Vec<_> = texts("en").into_keys().collect();
        assert!(english.len() > 20);
        for (language, _) in LANGUAGES {
            assert_eq!(texts(language).into_keys().collect::<Vec<_>>(), english, "{language}");
        }
    }

    #[test]
    fn the_best_language_of_a_header_is_chosen() {
        assert_eq!(choose_language("fr-FR, de;q=0.5, pl-PL;q=0.8"), "pl");
        assert_eq!(choose_language("fr"), "en");
        assert_eq!(choose_language(""), "en");
        assert_eq!(find_language("UK-ua"), Some("uk"));
    }
}
