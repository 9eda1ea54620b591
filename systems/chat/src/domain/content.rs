//! The text of a message: counted in characters after trimming, stored as typed.

/// A valid text of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageContent(String);

impl MessageContent {
    /// Validates a text. Characters are Unicode scalar values.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str, characters_max: usize) -> Result<Self, String> {
        let trimmed = text.trim();
        let count = trimmed.chars().count();
        if count == 0 {
            return Err("the message is empty".to_owned());
        }
        if count > characters_max {
            return Err(format!(
                "the message has {count} characters; at most {characters_max} are allowed"
            ));
        }
        Ok(Self(trimmed.to_owned()))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The names after `@`: letters, digits and `. _ - + @`, without a dot at the end.
    pub(crate) fn mentions(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .0
            .split_whitespace()
            .filter_map(|word| word.trim_start_matches(['(', '[', '"', '\'']).strip_prefix('@'))
            .map(|rest| {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || "._-+@".contains(c)));
                let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                name.trim_end_matches(['.', '-']).to_owned()
            })
            .filter(|name| !name.is_empty())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_after_trimming_and_tags_are_kept() {
        assert!(MessageContent::parse(&"😀".repeat(1000), 1000).is_ok());
        let long = MessageContent::parse(&"a".repeat(1001), 1000).unwrap_err();
        assert_eq!(long, "the message has 1001 characters; at most 1000 are allowed");
        assert!(MessageContent::parse(" \n ", 1000).is_err());
        let content = MessageContent::parse("  a < b and c > d <b>", 1000).unwrap();
        assert_eq!(content.as_str(), "a < b and c > d <b>");
    }

    #[test]
    fn mentions_are_names_after_an_at_sign() {
        let content = MessageContent::parse("(@bob, ask @alice@example.com. not a@b @ @bob", 100);
        assert_eq!(content.unwrap().mentions(), ["alice@example.com", "bob"]);
    }
}
