//! Runs the programs of the guide for client libraries exactly as they are printed there.
//!
//! The program of a library is the first block of its language in [`GUIDE`]. Each of them must print the first block
//! `text`.

use std::fs;

use super::library::Library;
use super::runner::{run, work_folder};
use super::server::ServerProcess;
use crate::reading::workspace_root;

const GUIDE: &str = "docs/guide/client-libraries.md";

/// Runs the program of a library and compares what it prints.
pub(crate) fn check(library: &Library, server: &ServerProcess) -> Result<(), String> {
    let snippet = &library.snippet;
    let guide = fs::read_to_string(workspace_root().join(GUIDE));
    let guide = guide.map_err(|error| format!("{GUIDE} could not be read: {error}"))?;
    let language = snippet.language;
    let code = block(&guide, language).ok_or(format!("{GUIDE} has no {language} block"))?;
    let wanted = block(&guide, "text").ok_or(format!("{GUIDE} has no text block"))?;
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
