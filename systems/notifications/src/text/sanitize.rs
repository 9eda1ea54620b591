//! Sanitizing of foreign text: no markup, no control characters, limited length.
//!
//! Owns the rule that a rendered text holds nothing that a page could take for a tag. Pages escape texts as well.

/// The longest snippet in characters, with the ellipsis.
pub(crate) const SNIPPET_CHARS_MAX: usize = 140;

/// The text as one line, without tags and control characters, cut to so many characters.
pub(crate) fn sanitize(text: &str, chars_max: usize) -> String {
    // Bounds the work for huge texts. Tags are removed, so more than `chars_max` characters have to be read.
    let beginning: String = text.chars().take(chars_max.saturating_mul(50)).collect();
    cut(&one_line(&without_tags(&beginning)), chars_max)
}

/// Removes everything from a `<` that opens a tag to its `>`, and replaces any `<` that could open one afterwards.
fn without_tags(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(index) = rest.find('<') {
        let (before, from) = rest.split_at(index);
        kept.push_str(before);
        let after = from.get(1..).unwrap_or_default();
        rest = match (opens_tag(after), after.find('>')) {
            (true, Some(end)) => after.get(end + 1..).unwrap_or_default(),
            _ => {
                // A `<` that opens no tag, as in `1 < 2`, is text.
                kept.push('<');
                after
            }
        };
    }
    kept.push_str(rest);
    replace_tag_starts(&kept)
}

/// Replaces a `<` that would open a tag: removing tags can put together new ones, as in `<<b>script>`.
fn replace_tag_starts(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for (index, character) in text.char_indices() {
        let after = text.get(index + character.len_utf8()..).unwrap_or_default();
        let opens_tag = character == '<' && opens_tag(after);
        result.push(if opens_tag { '‹' } else { character });
    }
    result
}

fn opens_tag(after: &str) -> bool {
    after.chars().next().is_some_and(|next| next.is_alphabetic() || "/!?".contains(next))
}

/// Joins lines, collapses white space, and removes control characters and those that change the direction of text.
fn one_line(text: &str) -> String {
    let changes_direction =
        |c: char| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}');
    let visible: String = text
        .chars()
        .filter(|c| c.is_whitespace() || !(c.is_control() || changes_direction(*c)))
        .collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let kept: String = text.chars().take(chars_max.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(sanitize(text, 20), expected, "{text}");
    }

    #[test]
    fn tags_go_and_text_stays() {
        check("a <b>bold</b> word", "a bold word");
        check("<script>alert(1)</script>", "alert(1)");
        check("<img src=x onerror=alert(1)", "‹img src=x onerror=…");
        check("<<b>script>x", "‹script>x");
        check("<!-- c -->x<?php y?>", "x");
    }

    #[test]
    fn comparisons_are_no_tags() {
        check("1 < 2 and 3 > 2", "1 < 2 and 3 > 2");
        check("a <3 b", "a <3 b");
    }

    #[test]
    fn it_is_one_line_without_signs_nobody_sees() {
        check("a\n\tb\u{0}c\u{202E}d", "a bcd");
    }

    #[test]
    fn it_is_cut_by_characters_and_says_so() {
        check("äöüßäöüßäöüßäöüßäöüß", "äöüßäöüßäöüßäöüßäöüß");
        check("äöüßäöüßäöüßäöüßäöüßä", "äöüßäöüßäöüßäöüßäöü…");
        assert_eq!(sanitize(&"x".repeat(5_000), SNIPPET_CHARS_MAX).chars().count(), 140);
    }
}
