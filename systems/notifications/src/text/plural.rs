//! Plural forms: which of a language's forms a number takes.
//!
//! Owns the rules of the languages we know, for whole numbers, after the Unicode plural rules. A language without a
//! rule here takes `other` for everything but one.

/// The name of the form that a number takes.
pub(crate) fn plural_form(locale: &str, number: u64) -> &'static str {
    let language = locale.split(['-', '_']).next().unwrap_or(locale);
    let (ones, tens) = (number % 10, number % 100);
    match language {
        "ja" | "ko" | "zh" | "th" | "vi" | "id" => "other",
        "fr" | "pt" if number < 2 => "one",
        "pl" => match (number, ones, tens) {
            (1, _, _) => "one",
            (_, 2..=4, tens) if !(12..=14).contains(&tens) => "few",
            _ => "many",
        },
        "ru" | "uk" => match (ones, tens) {
            (1, tens) if tens != 11 => "one",
            (2..=4, tens) if !(12..=14).contains(&tens) => "few",
            _ => "many",
        },
        "cs" | "sk" => match number {
            1 => "one",
            2..=4 => "few",
            _ => "other",
        },
        _ if number == 1 => "one",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(locale: &str, numbers: &[u64], form: &str) {
        for number in numbers {
            assert_eq!(plural_form(locale, *number), form, "{locale} {number}");
        }
    }

    #[test]
    fn languages_have_their_own_forms() {
        check("en", &[1], "one");
        check("en-GB", &[0, 2, 21], "other");
        check("pl", &[2, 3, 4, 22, 104], "few");
        check("pl", &[0, 5, 11, 12, 14, 21, 112], "many");
        check("ru", &[1, 21, 101], "one");
        check("ru", &[11, 111], "many");
        check("fr", &[0, 1], "one");
        check("ja", &[1], "other");
    }
}
