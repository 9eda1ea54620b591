//! Which events are logged: the directives of `RUST_LOG`, `target=level` or `level`, separated by commas.

use tracing::Metadata;
use tracing::level_filters::LevelFilter;

/// Directives, the longest target first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogFilter(Vec<(String, LevelFilter)>);

impl LogFilter {
    /// Parses directives. Returns a sentence for each that cannot be understood; the others still apply.
    pub(super) fn parse(text: &str) -> (Self, Vec<String>) {
        let mut directives = Vec::new();
        let mut mistakes = Vec::new();
        for directive in text.split(',').map(str::trim).filter(|each| !each.is_empty()) {
            let (target, level) = directive.split_once('=').unwrap_or(("", directive));
            match (level.trim().parse::<LevelFilter>(), target) {
                (Ok(level), _) => directives.push((target.trim().to_owned(), level)),
                // A target alone means everything of it, as in other programs.
                (Err(_), "") => directives.push((directive.to_owned(), LevelFilter::TRACE)),
                (Err(_), _) => mistakes.push(format!(
                    "'{directive}' in RUST_LOG is ignored: use off, error, warn, info, debug or trace"
                )),
            }
        }
        directives.sort_by_key(|(target, _)| std::cmp::Reverse(target.len()));
        (Self(directives), mistakes)
    }

    pub(super) fn allows(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level(metadata.target())
    }

    fn level(&self, target: &str) -> LevelFilter {
        let matches = |prefix: &str| {
            // A prefix of whole segments: `engine` is not `engineering`.
            let rest = target.strip_prefix(prefix);
            rest.is_some_and(|rest| prefix.is_empty() || rest.is_empty() || rest.starts_with("::"))
        };
        let found = self.0.iter().find(|(prefix, _)| matches(prefix));
        found.map_or(LevelFilter::OFF, |(_, level)| *level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_target_decides() {
        let (filter, mistakes) = LogFilter::parse("warn,engine=debug, engine::query=error,client");
        assert_eq!(mistakes, Vec::<String>::new());
        for (target, level) in [
            ("hyper::proto", LevelFilter::WARN),
            ("engine", LevelFilter::DEBUG),
            ("engine::item", LevelFilter::DEBUG),
            ("engine::query::page", LevelFilter::ERROR),
            ("engineering", LevelFilter::WARN),
            ("client::retry", LevelFilter::TRACE),
        ] {
            assert_eq!(filter.level(target), level, "{target}");
        }
        assert_eq!(LogFilter::parse("engine=info").0.level("other"), LevelFilter::OFF);
    }

    #[test]
    fn a_wrong_level_is_named() {
        let (_, mistakes) = LogFilter::parse("engine=loud,info");
        assert_eq!(mistakes.len(), 1);
        assert!(mistakes[0].contains("'engine=loud'"), "{mistakes:?}");
    }
}
