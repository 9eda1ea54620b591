//! LIKE compared with examples and with a naive matcher.

use proptest::prelude::*;

use super::{LikePattern, LikeShape};

fn matches(text: &str, pattern: &str) -> bool {
    LikePattern::new(pattern, None).matches(text)
}

#[test]
fn wildcards_match_as_documented() {
    let cases = [
        ("abc", "abc", true),
        ("abc", "ABC", false),
        ("abc", "a%", true),
        ("abc", "%c", true),
        ("abc", "%b%", true),
        ("abc", "a_c", true),
        ("ac", "a_c", false),
        ("", "%", true),
        ("", "", true),
        ("a", "", false),
        ("bat", "[a-f]at", true),
        ("rat", "[a-f]at", false),
        ("rat", "[^a-f]at", true),
        ("cat", "[abc]at", true),
        ("20%", "20[%]", true),
        ("20x", "20[%]", false),
        ("a-b", "a[x-]b", true),
        ("aXbXc", "a%b%c", true),
        ("🚀", "_", true),
    ];
    for (text, pattern, expected) in cases {
        assert_eq!(matches(text, pattern), expected, "{text} LIKE {pattern}");
    }
}

#[test]
fn the_escape_character_makes_the_next_one_literal() {
    let escaped = LikePattern::new("20!%%", Some('!'));
    assert!(escaped.matches("20% off"));
    assert!(!escaped.matches("200 off"));
    assert!(LikePattern::new("a!!b", Some('!')).matches("a!b"));
}

#[test]
fn odd_brackets_are_taken_literally_unverified() {
    assert!(matches("[a", "[a"));
    assert!(!matches("x", "[]"));
    assert!(matches("x", "[^]"));
}

#[test]
fn brackets_that_are_never_closed_are_read_once() {
    // Quadratic work would be ten thousand million steps.
    for (pattern, escape) in [("[".repeat(100_000), None), ("[a".repeat(50_000) + "!]", Some('!'))]
    {
        let literal = pattern.replace('!', "");
        assert!(LikePattern::new(&pattern, escape).matches(&literal));
    }
    // A later bracket that is closed is a class, also if an earlier one read over it.
    assert!(LikePattern::new("[[^]", Some('^')).matches("[x"));
}

#[test]
fn a_class_of_many_ranges_is_searched_and_not_read() {
    let ranges: String = (0_u32..60_000).filter_map(|n| char::from_u32(0x1_0000 + 2 * n)).collect();
    let pattern = LikePattern::new(&format!("%[{ranges}]b"), None);
    let even = char::from_u32(0x1_0000 + 70_000).unwrap();
    let odd = char::from_u32(0x1_0000 + 70_001).unwrap();
    assert!(pattern.matches(&format!("{}{even}b", "a".repeat(50_000))));
    assert!(!pattern.matches(&format!("{}{odd}b", "a".repeat(50_000))));
    assert!(matches("d", "[a-cb-d]") && !matches("e", "[a-cb-d]") && !matches("b", "[c-a]"));
}

#[test]
fn patterns_are_classified_for_the_planner() {
    let shape = |pattern: &str, escape| LikePattern::new(pattern, escape).shape();
    assert_eq!(shape("abc", None), LikeShape::Exact("abc".into()));
    assert_eq!(shape("a!%", Some('!')), LikeShape::Exact("a%".into()));
    assert_eq!(shape("20[%]", None), LikeShape::Exact("20%".into()));
    assert_eq!(shape("abc%", None), LikeShape::Prefix("abc".into()));
    assert_eq!(shape("%abc", None), LikeShape::Suffix("abc".into()));
    assert_eq!(shape("%abc%%", None), LikeShape::Contains("abc".into()));
    assert_eq!(shape("%", None), LikeShape::Contains(String::new()));
    assert_eq!(shape("", None), LikeShape::Exact(String::new()));
    assert_eq!(shape("ab_c%", None), LikeShape::General { prefix: "ab".into() });
    assert_eq!(shape("%a_", None), LikeShape::General { prefix: String::new() });
    assert_eq!(shape("a%b", None), LikeShape::General { prefix: "a".into() });
}

/// Tries every length for every `%`.
fn naive(text: &[char], pattern: &[char]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, _) => text.is_empty(),
        (Some(('%', rest)), _) => (0..=text.len()).any(|end| naive(&text[end..], rest)),
        (Some(('_', rest)), Some((_, text))) => naive(text, rest),
        (Some((literal, rest)), Some((first, text))) => literal == first && naive(text, rest),
        (Some(_), None) => false,
    }
}

proptest! {
    #[test]
    fn the_matcher_agrees_with_the_naive_one(text in "[ab]{0,8}", pattern in "[ab%_]{0,7}") {
        let text_characters: Vec<char> = text.chars().collect();
        let pattern_characters: Vec<char> = pattern.chars().collect();
        prop_assert_eq!(
            matches(&text, &pattern),
            naive(&text_characters, &pattern_characters)
        );
    }

    #[test]
    fn the_shape_agrees_with_the_matcher(text in "[ab]{0,5}", pattern in "[ab%_]{0,5}") {
        let like = LikePattern::new(&pattern, None);
        let fits = match like.shape() {
            LikeShape::Exact(literal) => text == literal,
            LikeShape::Prefix(literal) => text.starts_with(&literal),
            LikeShape::Suffix(literal) => text.ends_with(&literal),
            LikeShape::Contains(literal) => text.contains(&literal),
            LikeShape::General { prefix } => {
                prop_assert!(!like.matches(&text) || text.starts_with(&prefix));
                return Ok(());
            }
        };
        prop_assert_eq!(like.matches(&text), fits);
    }

    #[test]
    fn any_pattern_is_read_and_matched(text in any::<String>(), pattern in any::<String>()) {
        let _ = LikePattern::new(&pattern, Some('!')).matches(&text);
    }
}
