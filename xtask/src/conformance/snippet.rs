//! The snippets of README, run exactly as they are printed there.
//!
//! A snippet is the first block of its language after the heading `Use it from your language`; the block `text` after
//! that heading is what each of them must print.

use std::fs;

use super::library::Library;
use super::prepare::{run, work_folder};
use super::server::Server;
use crate::reading::our_root;

const HEADING: &str = "## Use it from your language";

/// Runs the snippet of a library and compares what it prints.
pub(crate) fn check(library: &Library, server: &Server) -> Result<(), String> {
    let snippet = &library.snippet;
    let readme = fs::read_to_string(our_root().join("README.md"));
    let readme = readme.map_err(|error| format!("README.md could not be read: {error}"))?;
    let (_, section) = readme.split_once(HEADING).ok_or("README.md has no such heading")?;
    let language = snippet.language;
    let code = block(section, language).ok_or(format!("README.md has no {language} block"))?;
    let wanted = block(section, "text").ok_or("README.md has no text block")?;
    let file = work_folder(library).join(snippet.file);
    fs::write(&file, code).map_err(|error| format!("{}: {error}", file.display()))?;
    let environment = [("COSMOS_ENDPOINT", server.endpoint())];
    let printed = run(library, snippet.run, &[], &environment)?;
    if printed.trim() == wanted.trim() {
        return Ok(());
    }
    Err(format!("the {language} snippet printed\n{printed}\ninstead of\n{wanted}"))
}

/// The inside of the first fenced block of a language.
fn block<'a>(text: &'a str, language: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("\n```{language}\n"))?;
    rest.split_once("```").map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::block;

    #[test]
    fn the_first_block_of_a_language_is_found() {
        let text = "a\n```js\none\n```\n```text\ntwo\n```\n```js\nthree\n```\n";
        assert_eq!(block(text, "js"), Some("one\n"));
        assert_eq!(block(text, "text"), Some("two\n"));
        assert_eq!(block(text, "python"), None);
    }
}
