//! Plural forms: which of a language's forms a number takes, by the CLDR plural rules.
//!
//! The rules come from `icu_plurals`, whose data for all languages is compiled into the program. A language that CLDR
//! does not know, or a name that is no locale, takes `other` for every number; every template file has that form.

use icu_locale_core::Locale;
use icu_plurals::{PluralCategory, PluralRules, PluralRulesPreferences};

/// The plural rules of one language.
///
/// It holds the locale and not the `PluralRules`: those are not `Send`, and looking them up in compiled data allocates
/// nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct PluralForms {
    locale: PluralRulesPreferences,
}

impl PluralForms {
    /// The rules of a locale such as `de`, `pt-PT` or `pt_PT`.
    pub(super) fn new(locale: &str) -> Self {
        let parsed = Locale::try_from_str(&locale.replace('_', "-"));
        Self { locale: parsed.unwrap_or(Locale::UNKNOWN).into() }
    }

    /// The name of the form that a number takes, as template files spell it.
    pub(super) fn form_of(self, number: u64) -> &'static str {
        let rules = PluralRules::try_new_cardinal(self.locale);
        let category = rules.map_or(PluralCategory::Other, |rules| rules.category_for(number));
        match category {
            PluralCategory::Zero => "zero",
            PluralCategory::One => "one",
            PluralCategory::Two => "two",
            PluralCategory::Few => "few",
            PluralCategory::Many => "many",
            PluralCategory::Other => "other",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(locale: &str, numbers: &[u64], form: &str) {
        for number in numbers {
            assert_eq!(PluralForms::new(locale).form_of(*number), form, "{locale} {number}");
        }
    }

    #[test]
    fn english_and_german_have_one_and_other() {
        for locale in ["en", "en-GB", "en_GB", "de", "de-AT"] {
            check(locale, &[1], "one");
            check(locale, &[0, 2, 11, 21, 101], "other");
        }
    }

    #[test]
    fn japanese_has_one_form() {
        check("ja", &[0, 1, 2, 5, 21], "other");
    }

    #[test]
    fn french_counts_zero_as_one() {
        check("fr", &[0, 1], "one");
        check("fr", &[2, 21], "other");
    }

    #[test]
    fn polish_and_czech_have_a_form_for_few() {
        check("pl", &[1], "one");
        check("pl", &[2, 3, 4, 22, 104], "few");
        check("pl", &[0, 5, 11, 12, 14, 21, 112], "many");
        check("cs", &[1], "one");
        check("cs", &[2, 3, 4], "few");
        check("cs", &[0, 5, 22, 104], "other");
    }

    #[test]
    fn russian_looks_at_the_last_digits() {
        check("ru", &[1, 21, 101], "one");
        check("ru", &[2, 3, 4, 22, 104], "few");
        check("ru", &[0, 5, 11, 12, 14, 111], "many");
    }

    #[test]
    fn arabic_has_six_forms() {
        check("ar", &[0], "zero");
        check("ar", &[1], "one");
        check("ar", &[2], "two");
        check("ar", &[3, 10, 103, 110], "few");
        check("ar", &[11, 26, 99, 111], "many");
        check("ar", &[100, 101, 102, 200], "other");
    }

    #[test]
    fn hebrew_has_a_dual() {
        check("he", &[1], "one");
        check("he", &[2], "two");
        check("he", &[0, 3, 10, 20, 100], "other");
    }

    #[test]
    fn slovenian_has_a_dual_by_the_last_two_digits() {
        check("sl", &[1, 101, 201], "one");
        check("sl", &[2, 102], "two");
        check("sl", &[3, 4, 103, 104], "few");
        check("sl", &[0, 5, 11, 12, 21, 100, 111], "other");
    }

    #[test]
    fn lithuanian_looks_at_the_last_digits() {
        check("lt", &[1, 21, 101], "one");
        check("lt", &[2, 9, 22, 109], "few");
        check("lt", &[0, 10, 11, 12, 19, 20, 111], "other");
    }

    #[test]
    fn an_unknown_language_has_only_other() {
        check("xx", &[0, 1, 2], "other");
        check("not a locale", &[0, 1, 2], "other");
    }
}
